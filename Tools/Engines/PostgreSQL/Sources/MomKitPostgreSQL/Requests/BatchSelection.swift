import Foundation
@_spi(Engines) import MomKit
import RelationalSchemas

/// The rows that a batch affects. Their keys are kept in a temporary table of its transaction, so that all statements
/// refer to the same rows, whatever they change.
struct BatchSelection {
  typealias Statement = PostgreSQLConnection.Statement

  /// The temporary table. Its columns are the index of a row's table in the schema, its key, its entity's label, and
  /// the round of cascading that selected it.
  static let table = "pg_temp._momkit_batch"

  let engine: PostgreSQLEngine
  let connection: PostgreSQLConnection

  /// Creates an empty selection.
  init(_ engine: PostgreSQLEngine, _ connection: PostgreSQLConnection) throws {
    (self.engine, self.connection) = (engine, connection)
    try connection.execute(
      "CREATE TEMPORARY TABLE _momkit_batch (t int, k bigint, e text, r int, PRIMARY KEY (t, k)) "
        + "ON COMMIT DROP")
  }

  /// Runs a statement and returns the number of rows it changed.
  @discardableResult
  func run(_ sql: String, _ parameters: PostgreSQLParameters = PostgreSQLParameters()) throws -> Int
  {
    var statement = Statement(sql, parameters)
    // It refers to a table that is dropped with the transaction.
    statement.isKept = false
    var count = 0
    try connection.runAll([statement]) { _, changed, _ in count = changed }
    return count
  }

  /// Selects the rows of a query.
  func add(_ query: RowQuery, matching: BatchMatching) throws {
    let shape = try engine.tables.shape(
      query.layout, includesSubentities: query.includesSubentities)
    let table = shape.table
    let fetch = FetchStatement(
      query, shape, engine.tables, engine.reference,
      columns: "\(table.entity.table), t0.\(SQL.key), \(table.label("t0")), 0")
    var selection = Statement(
      "INSERT INTO \(Self.table) \(fetch.statement.sql)", fetch.statement.parameters)
    selection.isKept = false
    guard fetch.isComplete, try connection.attempt(selection) != nil else {
      return try add(matching(query))
    }
  }

  /// Selects the rows with the given object IDs, ignoring those that don't exist.
  func add(_ ids: [NSManagedObjectID]) throws {
    let own = ids.filter { $0.storeReference === engine.reference }
    for (_, group) in Dictionary(grouping: own, by: { ObjectIdentifier($0.layout.root) }) {
      guard let root = group.first?.layout.root else { continue }
      let table = try engine.tables.table(root)
      var parameters = PostgreSQLParameters()
      parameters.append(keys: group.map(\.key))
      try run(
        "INSERT INTO \(Self.table) SELECT \(table.entity.table), d.\(SQL.key), "
          + "\(table.label("d")), 0 FROM \(table.name) d WHERE d.\(SQL.key) = ANY ($1)",
        parameters)
    }
  }

  /// Selects further rows `d` of an entity's table, and returns their number.
  func add(from table: EntityTable, where condition: String, round: Int) throws -> Int {
    try run(
      "INSERT INTO \(Self.table) SELECT \(table.entity.table), d.\(SQL.key), "
        + "\(table.label("d")), \(round) FROM \(table.name) d WHERE \(condition) "
        + "ON CONFLICT DO NOTHING")
  }

  /// Returns a subquery for the keys of the selected rows of a table, or of one of its entities.
  static func keys(_ table: EntityTable, entity: String? = nil, round: Int? = nil) -> String {
    var sql = "SELECT k FROM \(Self.table) WHERE t = \(table.entity.table)"
    if let entity { sql += " AND e = \(SQL.label(entity))" }
    if let round { sql += " AND r = \(round)" }
    return sql
  }

  /// Returns the entities of the selected rows.
  func entities(round: Int? = nil) throws -> [EntityLayout] {
    let sql =
      "SELECT DISTINCT e FROM \(Self.table)" + (round.map { " WHERE r = \($0)" } ?? "")
      + " ORDER BY e"
    var labels: [String] = []
    var statement = Statement(sql)
    statement.isKept = false
    try connection.run(statement) { labels.append($0.text(0)) }
    return labels.compactMap { engine.tables.layouts.entity(labeled: $0) }
  }

  /// Calls `body` for each selected row, ordered by table and key.
  func forEach(_ body: (EntityLayout, Int64) throws -> Void) throws {
    var statement = Statement("SELECT e, k FROM \(Self.table) ORDER BY t, k")
    statement.isKept = false
    try connection.run(statement) { row in
      guard let layout = engine.tables.layouts.entity(labeled: row.text(0)) else { return }
      try body(layout, try row.integer(1))
    }
  }

  /// Returns the number of selected rows, and optionally their object IDs.
  func outcome(wantsIDs: Bool) throws -> BatchOutcome {
    var outcome = BatchOutcome()
    if wantsIDs {
      try forEach { layout, key in
        outcome.ids.append(
          NSManagedObjectID(layout: layout, store: engine.reference, key: key))
      }
      outcome.count = outcome.ids.count
    } else {
      var statement = Statement("SELECT count(*) FROM \(Self.table)")
      statement.isKept = false
      try connection.run(statement) { outcome.count = Int(try $0.integer(0)) }
    }
    return outcome
  }
}
