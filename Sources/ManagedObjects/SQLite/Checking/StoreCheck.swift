import DataModels
import Foundation

/// Looks a store over: the file, its metadata, rows, relationships, external files and history,
/// against the model and Core Data's layout.
///
/// Everything is asked of SQLite directly: the check shares the layout with the store's own code and
/// nothing else. The store is opened so that neither it nor its folder changes.
public struct StoreCheck {
  let url: URL
  let model: NSManagedObjectModel
  let connection: SQLiteConnection
  let schema: StoreSchema
  let metadata: StoreMetadata
  var findings: [StoreFinding] = []
  /// The columns that each table has.
  var columns: [String: Set<String>] = [:]

  /// Checks a store.
  ///
  /// - Parameters:
  ///   - url: the store.
  ///   - model: its model; nil for the store's own copy.
  ///   - progress: told how many of the steps are done, and how many there are.
  /// - Returns: what was found, in the order of the rules, then of entities and properties; nothing
  ///   for a sound store.
  /// - Throws: `ModelFileError` when the file is no store, can't be opened, or has no model;
  ///   `SQLiteError` for what SQLite can't open.
  public static func findings(
    at url: URL, model: NSManagedObjectModel? = nil,
    progress: ((_ done: Int, _ total: Int) -> Void)? = nil
  ) throws -> [StoreFinding] {
    let file = try StoreFile(at: url.path)
    guard let model = try model ?? file.cachedModel() else {
      throw ModelFileError(
        .noModel, "the store has no copy of its model; name the model", path: url.path)
    }
    var check = try StoreCheck(at: url, file: file, model: model)
    check.run(file, progress)
    return check.sorted
  }

  private init(at url: URL, file: StoreFile, model: NSManagedObjectModel) throws {
    self.url = url
    self.model = model
    metadata = file.metadata
    connection = try SQLiteConnection.reading(url)
    let version = FrameworkVersion(recorded: metadata.frameworkVersion)
    schema = try StoreSchema(model: model, version: version)
  }

  private mutating func run(_ file: StoreFile, _ progress: ((Int, Int) -> Void)?) {
    let steps: [(inout StoreCheck) throws -> Void] = [
      { try $0.checkFile() }, { try $0.checkMetadata(file) }, { try $0.checkSchema() },
      { try $0.checkEntityRows() }, { try $0.checkRows() }, { try $0.checkValues() },
      { try $0.checkUniqueness() }, { try $0.checkToOnes() }, { try $0.checkInverses() },
      { try $0.checkJoins() }, { try $0.checkMemberCounts() }, { try $0.checkOrder() },
      { try $0.checkExternalData() }, { try $0.checkHistory() },
    ]
    for (index, step) in steps.enumerated() {
      progress?(index, steps.count)
      do {
        try step(&self)
      } catch {
        // A damaged page ends one step, not the check.
        add(.unreadable, "\((error as? SQLiteError)?.message ?? "\(error)")")
      }
    }
    progress?(steps.count, steps.count)
  }

  // MARK: Noting

  /// Notes something that isn't about rows.
  mutating func add(
    _ rule: StoreFinding.Rule, in subject: String? = nil, at property: String? = nil,
    _ message: String
  ) {
    findings.append(StoreFinding(rule, in: subject, at: property, message))
  }

  /// Notes the rows that a query gives, by the keys in its first column; nothing when there are none.
  ///
  /// - Parameter isBroken: whether a row is to be noted, where the query can't tell.
  mutating func addRows(
    _ rule: StoreFinding.Rule, in subject: String, at property: String? = nil, _ message: String,
    sql: String, where isBroken: (SQLiteStatement) -> Bool = { _ in true }
  ) throws {
    var (count, keys): (Int, [Int64]) = (0, [])
    try connection.withStatement(sql) { row in
      while try row.step() {
        guard isBroken(row) else { continue }
        count += 1
        if !row.isNull(at: 0) { keys.append(row.integer(at: 0)) }
        // The smallest few are kept, however many there are.
        if keys.count > 1000 { keys = Array(keys.sorted().prefix(StoreFinding.exampleLimit)) }
      }
    }
    guard count > 0 else { return }
    findings.append(
      StoreFinding(
        rule, in: subject, at: property, message, rowCount: count,
        rows: Array(keys.sorted().prefix(StoreFinding.exampleLimit))))
  }

  private var sorted: [StoreFinding] {
    let order = Dictionary(
      StoreFinding.Rule.allCases.enumerated().map { ($1, $0) }, uniquingKeysWith: { a, _ in a })
    return Set(findings).sorted { left, right in
      let (first, second) = (order[left.rule] ?? 0, order[right.rule] ?? 0)
      return (first, left.subject ?? "", left.property ?? "", left.message)
        < (second, right.subject ?? "", right.property ?? "", right.message)
    }
  }

  // MARK: What is there

  /// Whether a table has columns; what is missing was noted by ``checkSchema()``.
  func has(_ table: String, _ names: String...) -> Bool {
    columns[table].map { known in names.allSatisfy(known.contains) } ?? false
  }

  /// The entities whose objects there may be.
  var concreteEntities: [SchemaEntity] {
    schema.entities.filter { !$0.description.isAbstract && columns[$0.table] != nil }
  }

  /// The condition for rows of an entity and those below it.
  func isKind(_ entity: SchemaEntity, _ row: String = "") -> String {
    let prefix = row.isEmpty ? "" : row + "."
    return entity.hasSubentities
      ? "\(prefix)Z_ENT BETWEEN \(entity.number) AND \(entity.lastNumber)"
      : "\(prefix)Z_ENT = \(entity.number)"
  }

  /// Whether an entity brings a property in itself: what it inherits is checked with its parent.
  func declares(_ entity: SchemaEntity, _ property: String) -> Bool {
    entity.description.superentity?.propertiesByName[property] == nil
  }
}
