import Foundation

/// The rows that a batch affects, in a temporary table of the connection: the hierarchy's number, the key, the
/// entity's number, and the round in which a row was found.
struct BatchSelection {
  static let table = "temp.MomKitBatchRows"

  private let engine: SQLiteEngine
  private var connection: SQLiteConnection { engine.connection }

  init(_ engine: SQLiteEngine) throws {
    self.engine = engine
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS MomKitBatchRows (ROOT INTEGER, Z_PK INTEGER, \
      Z_ENT INTEGER, ROUND INTEGER, PRIMARY KEY (ROOT, Z_PK)) WITHOUT ROWID; \
      DELETE FROM \(Self.table)
      """)
  }

  /// Empties the table, possibly of rows left behind by a failed batch.
  func clear() throws { try connection.execute("DELETE FROM \(Self.table)") }

  /// `SELECT Z_PK …` of the selected rows of a hierarchy.
  static func keys(root: Int, entity: Int? = nil, round: Int? = nil) -> String {
    var sql = "SELECT Z_PK FROM \(table) WHERE ROOT = \(root)"
    if let entity { sql += " AND Z_ENT = \(entity)" }
    if let round { sql += " AND ROUND = \(round)" }
    return sql
  }

  private func number(_ entity: SchemaEntity, _ column: String) -> String {
    engine.schema.entityNumber(of: entity, column: column)
  }

  // MARK: Filling

  /// Selects the rows that match a query.
  func add(_ query: RowQuery, matching: BatchMatching) throws {
    let entity = try engine.entity(query.layout)
    let shape = try engine.shape(
      query.layout, includesSubentities: query.includesSubentities)
    let statement = try FetchStatement(
      query, shape, engine: engine,
      columns: "\(entity.rootNumber), t0.Z_PK, \(number(entity, "t0.Z_ENT")), 0")
    guard statement.isComplete else {
      return try add(try matching(query))
    }
    try engine.evaluating(query.predicateText) {
      try connection.withStatement("INSERT INTO \(Self.table) \(statement.sql)") { row in
        try statement.bind(to: row)
        try row.run()
      }
    }
  }

  /// Selects the existing rows of object IDs.
  func add(_ ids: [NSManagedObjectID]) throws {
    for id in ids where id.storeReference === engine.reference {
      let entity = try engine.entity(id.layout)
      try connection.withStatement(
        "INSERT OR IGNORE INTO \(Self.table) SELECT \(entity.rootNumber), Z_PK, "
          + "\(number(entity, "Z_ENT")), 0 "
          + "FROM \(entity.table) WHERE Z_PK = ?"
      ) { row in
        try row.bind(id.key, at: 1)
        try row.run()
      }
    }
  }

  /// Selects rows of an entity's table, and returns how many are new.
  func add(from entity: SchemaEntity, where condition: String, round: Int) throws -> Int {
    try connection.execute(
      "INSERT OR IGNORE INTO \(Self.table) SELECT \(entity.rootNumber), d.Z_PK, "
        + "\(number(entity, "d.Z_ENT")), \(round) "
        + "FROM \(entity.table) d WHERE \(condition)")
    return connection.changedRowCount
  }

  // MARK: Reading

  /// The numbers of the selected rows' entities.
  func entities(round: Int? = nil) throws -> [Int] {
    let condition = round.map { " WHERE ROUND = \($0)" } ?? ""
    var numbers: [Int] = []
    try connection.withStatement(
      "SELECT DISTINCT Z_ENT FROM \(Self.table)\(condition) ORDER BY Z_ENT"
    ) { row in
      while try row.step() { numbers.append(Int(truncatingIfNeeded: row.integer(at: 0))) }
    }
    return numbers
  }

  func count(round: Int? = nil) throws -> Int {
    let condition = round.map { " WHERE ROUND = \($0)" } ?? ""
    return Int(try connection.integer("SELECT count(*) FROM \(Self.table)\(condition)") ?? 0)
  }

  /// Calls `body` with the entity number and key of every selected row.
  func forEach(round: Int? = nil, _ body: (Int, Int64) throws -> Void) throws {
    let condition = round.map { " WHERE ROUND = \($0)" } ?? ""
    try connection.withStatement(
      "SELECT Z_ENT, Z_PK FROM \(Self.table)\(condition) ORDER BY ROOT, Z_PK"
    ) { row in
      while try row.step() {
        try body(Int(truncatingIfNeeded: row.integer(at: 0)), row.integer(at: 1))
      }
    }
  }

  /// The outcome for the rows that the batch requested.
  func outcome(wantsIDs: Bool) throws -> BatchOutcome {
    var outcome = BatchOutcome()
    outcome.count = try count(round: 0)
    guard wantsIDs else { return outcome }
    try forEach(round: 0) { number, key in
      let layout = try engine.layout(number: number)
      outcome.ids.append(NSManagedObjectID(layout: layout, store: engine.reference, key: key))
    }
    return outcome
  }
}
