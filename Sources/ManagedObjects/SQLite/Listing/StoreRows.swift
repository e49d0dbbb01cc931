import DataModels
import Foundation

/// Reads the rows of a store one after another, as plain data with the model's names.
///
/// Rows are read directly from SQLite and are never all in memory. The whole read sees a single snapshot of the
/// store, independent of other writers.
package final class StoreRows {
  let connection: SQLiteConnection
  package let schema: StoreSchema
  let external: ExternalData
  let url: URL
  let model: NSManagedObjectModel
  /// Descriptions of content that couldn't be read, and is listed as null or skipped.
  package private(set) var problems: [String] = []
  /// Descriptions of unusual values that are listed nevertheless.
  package private(set) var remarks: [String] = []
  private var remarked: Set<String> = []
  /// Whether unreadable content is reported and skipped instead of ending the read.
  package let keepsGoing: Bool
  /// Decodes a value of bytes for the listing; the bytes themselves are listed if it returns nil or isn't set.
  package var decoded: ((Data) -> ListedValue?)?
  /// The entities' names, by number.
  private let entityNames: [[UInt8]]
  private var engine: SQLiteEngine?

  /// Opens a store for reading, without changing it or its folder.
  ///
  /// - Parameter keepsGoing: whether unreadable content is reported and skipped instead of ending the read.
  package init(
    _ url: URL, model: NSManagedObjectModel, framework: Int?, keepsGoing: Bool = false
  ) throws {
    self.url = url
    self.model = model
    self.keepsGoing = keepsGoing
    let schema = try StoreSchema(
      model: model, version: FrameworkVersion(recorded: framework))
    let opened: (connection: SQLiteConnection, views: [String])
    do {
      opened = try Self.beginReading(schema) {
        try SQLiteConnection.inspecting(url, isTolerant: keepsGoing)
      }
    } catch let error as SQLiteError {
      throw Self.fileError(error, url)
    }
    self.schema = schema
    connection = opened.connection
    external = ExternalData(store: url)
    entityNames = schema.entities.map { Self.word($0.name) }
    if !keepsGoing { try refuse(opened.views) }
    for view in opened.views { note(Self.problem(of: view)) }
  }

  /// Opens a file and begins to read it, from the beginning again if it was written meanwhile.
  ///
  /// - Returns: the connection, and the views that are in place of the store's tables.
  static func beginReading(
    _ schema: StoreSchema, opening open: () throws -> SQLiteConnection
  ) throws -> (connection: SQLiteConnection, views: [String]) {
    try SQLiteConnection.readingAgain(opening: open) { connection in
      try connection.execute("BEGIN")
      return (connection: connection, views: try schema.viewsInsteadOfTables(in: connection))
    }
  }

  /// Refuses a file with views in place of the store's tables. Only the connection of these rows can't use them.
  func refuseViews() throws {
    try refuse(reading { try schema.viewsInsteadOfTables(in: connection) })
  }

  private func refuse(_ views: [String]) throws {
    guard let view = views.first else { return }
    throw ModelFileError(.malformed, Self.problem(of: view), path: url.relativePath)
  }

  private static func problem(of view: String) -> String {
    "the file has a view \(view) in place of the store's table"
  }

  /// The non-abstract entities, sorted by name.
  package var entities: [SchemaEntity] {
    schema.entities.filter { !$0.description.isAbstract }
      .sorted { NameOrder.precedes($0.name, $1.name) }
  }

  /// The entity with a name.
  package func entity(_ name: String) -> SchemaEntity? { schema[name] }

  /// The number of objects of exactly this entity.
  package func count(of entity: SchemaEntity) throws -> Int {
    Int(
      try connection.integer(
        "SELECT count(*) FROM \(entity.table) WHERE \(entity.ownRows())") ?? 0)
  }

  /// Notes rows whose entity number belongs to no entity of their table; no listing includes them.
  package func noteStrayRows() {
    for root in schema.entities where root.parentNumber == 0 && root.hasSubentities {
      let numbers = schema.entities[(root.number - 1)..<root.lastNumber]
        .filter { !$0.description.isAbstract }.map { "\($0.number)" }.joined(separator: ", ")
      // Tables that can't be read are reported when rows are read.
      let strays = try? connection.withStatement(
        "SELECT count(*), min(Z_PK) FROM \(root.table) WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers))"
      ) { try $0.step() ? ($0.integer(at: 0), $0.integer(at: 1)) : (0, 0) }
      guard let (count, first) = strays, count > 0 else { continue }
      note(
        "\(root.table): \(count) row\(count == 1 ? "" : "s") whose number belongs to no entity of the table "
          + "left out, the first with the key \(first)")
    }
  }

  /// The names of an entity's values, in listing order.
  package func names(of entity: SchemaEntity) -> [String] {
    RowListing.properties(of: entity).map(\.name)
  }

  /// Performs `body`. If it is still running when `isToEnd` returns true, it throws an error that reports a timeout.
  package func ending<Result>(
    when isToEnd: () -> Bool, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try connection.interrupting(when: isToEnd, body)
    } catch let error as SQLiteError where error.code == .interrupted {
      throw ModelFileError(
        .unreadable, "reading took too long and was cancelled", path: url.relativePath)
    } catch let error as ModelFileError where isToEnd() {
      var error = error
      error.message = "reading took too long and was cancelled"
      throw error
    }
  }

  // MARK: For listings

  /// A name that needs no escaping in any format: characters with a meaning in JSON or CSV become underscores.
  private static func word(_ name: String) -> [UInt8] {
    name.utf8.map { byte in
      byte < 0x20 || [0x22, 0x2C, 0x5C, 0x7F].contains(byte) ? UInt8(ascii: "_") : byte
    }
  }

  /// Reads from the file, and translates SQLite's errors to file errors.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw Self.fileError(error, url)
    }
  }

  private static func fileError(_ error: SQLiteError, _ url: URL) -> ModelFileError {
    ModelFileError(
      error.isDamage ? .malformed : .unreadable, "SQLite: \(error.message)",
      path: url.relativePath)
  }

  /// Records unreadable content, once.
  func note(_ problem: String) {
    if !problems.contains(problem) { problems.append(problem) }
  }

  /// Records an unusual value, once per column.
  func remark(on column: String, _ remark: @autoclosure () -> String) {
    if remarked.insert(column).inserted { remarks.append(remark()) }
  }

  func name(of number: Int) -> [UInt8] {
    entityNames.indices.contains(number &- 1) ? entityNames[number &- 1] : []
  }

  func listed(_ data: Data) -> ListedValue { decoded?(data) ?? .bytes(data) }

  /// The engine that compiles predicates for this store; created on demand.
  func predicateEngine() throws -> SQLiteEngine {
    if let engine { return engine }
    let made = try SQLiteEngine(
      connection: connection, schema: schema, layouts: ModelLayout.of(model), url: url,
      metadata: [:], readOnly: .option)
    engine = made
    return made
  }

  /// The columns of an entity's table; nil if they aren't needed.
  func presentColumns(of entity: SchemaEntity) throws -> PresentColumns? {
    keepsGoing ? try PresentColumns(of: entity.table, in: connection) : nil
  }
}
