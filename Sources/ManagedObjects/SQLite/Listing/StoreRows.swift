import DataModels
import Foundation

/// Reads the rows of a store one after the other, as plain data under the model's names.
///
/// Rows come straight from SQLite and are never all in memory. The whole reading sees the store at
/// one moment, whatever others write.
package final class StoreRows {
  let connection: SQLiteConnection
  package let schema: StoreSchema
  let external: ExternalData
  let url: URL
  let model: NSManagedObjectModel
  /// What could not be read and is listed as null, or left out: a text for each.
  package private(set) var problems: [String] = []
  /// What is odd about values that are listed all the same: a text for each.
  package private(set) var remarks: [String] = []
  private var remarked: Set<String> = []
  /// Whether what can't be read is told and left out, where it would end the reading.
  package let keepsGoing: Bool
  /// What a value of bytes is listed as; the bytes themselves where it gives nil, or where there is none.
  package var decoded: ((Data) -> ListedValue?)?
  /// The entities' names by their numbers.
  private let entityNames: [[UInt8]]
  private var engine: SQLiteEngine?

  /// Opens a store for reading; neither it nor its folder changes.
  ///
  /// - Parameter keepsGoing: whether what can't be read is told and left out, where it would end the reading.
  package init(
    _ url: URL, model: NSManagedObjectModel, framework: Int?, keepsGoing: Bool = false
  ) throws {
    self.url = url
    self.model = model
    self.keepsGoing = keepsGoing
    do {
      connection = try SQLiteConnection.reading(url, isTolerant: keepsGoing)
    } catch {
      throw Self.fileError(error, url)
    }
    schema = try StoreSchema(
      model: model, version: FrameworkVersion(recorded: framework))
    external = ExternalData(store: url)
    entityNames = schema.entities.map { Self.word($0.name) }
    try connection.execute("BEGIN")
  }

  /// The entities that may have objects of their own, by name.
  package var entities: [SchemaEntity] {
    schema.entities.filter { !$0.description.isAbstract }
      .sorted { NameOrder.precedes($0.name, $1.name) }
  }

  /// The entity of a name.
  package func entity(_ name: String) -> SchemaEntity? { schema[name] }

  /// How many objects of exactly this entity there are.
  package func count(of entity: SchemaEntity) throws -> Int {
    Int(
      try connection.integer(
        "SELECT count(*) FROM \(entity.table) WHERE Z_ENT = \(entity.number)") ?? 0)
  }

  /// The names of an entity's values, in the order in which they are listed.
  package func names(of entity: SchemaEntity) -> [String] {
    RowListing.properties(of: entity).map(\.name)
  }

  // MARK: For listings

  /// A name that every form can hold as it is: what has a meaning in JSON or CSV is a low line in it.
  private static func word(_ name: String) -> [UInt8] {
    name.utf8.map { byte in
      byte < 0x20 || [0x22, 0x2C, 0x5C, 0x7F].contains(byte) ? UInt8(ascii: "_") : byte
    }
  }

  /// Does something with the file, and tells of SQLite's errors as those of a file.
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

  /// Notes what can't be read, once.
  func note(_ problem: String) {
    if !problems.contains(problem) { problems.append(problem) }
  }

  /// Notes what is odd, once for each column.
  func remark(on column: String, _ remark: @autoclosure () -> String) {
    if remarked.insert(column).inserted { remarks.append(remark()) }
  }

  func name(of number: Int) -> [UInt8] {
    entityNames.indices.contains(number - 1) ? entityNames[number - 1] : []
  }

  func listed(_ data: Data) -> ListedValue { decoded?(data) ?? .bytes(data) }

  /// What turns predicates into SQL for this store; made when the first is asked.
  func predicateEngine() throws -> SQLiteEngine {
    if let engine { return engine }
    let made = try SQLiteEngine(
      connection: connection, schema: schema, layouts: ModelLayout.of(model), url: url,
      metadata: [:], isReadOnly: true)
    engine = made
    return made
  }

  /// The columns of a table, in capitals; nil when they needn't be known.
  func presentColumns(of entity: SchemaEntity) throws -> Set<String>? {
    guard keepsGoing else { return nil }
    return try connection.withStatement("SELECT upper(name) FROM pragma_table_info(?)") { row in
      try row.bind(entity.table, at: 1)
      var names: Set<String> = []
      while try row.step() { names.insert(row.text(at: 0) ?? "") }
      return names
    }
  }
}
