import DataModels
import Foundation

/// Checks a store: the file, its metadata, rows, relationships, external files and history, against the model and
/// Core Data's schema.
///
/// ```swift
/// let findings = try StoreCheck.findings(at: url)
/// for finding in findings { print(finding) }
/// print(findings.isEmpty ? "sound" : "damaged")
/// ```
///
/// All queries go directly to SQLite: the check shares the schema with the engine's code and nothing else. The store
/// is opened so that neither it nor its folder changes.
public struct StoreCheck {
  let url: URL
  let model: NSManagedObjectModel
  let connection: SQLiteConnection
  let schema: StoreSchema
  let metadata: StoreMetadata
  var findings: [StoreFinding] = []
  /// The columns of each table.
  var columns: [String: Set<String>] = [:]
  /// The files of external values that were there before the rows were read.
  let externalFiles: [String]

  /// Checks a store.
  ///
  /// - Parameters:
  ///   - url: the store.
  ///   - model: its model; nil for the store's own copy.
  ///   - progress: called with the number of completed steps and of all steps.
  /// - Returns: the findings, ordered by rule, then by entity and property; empty for a sound store.
  /// - Throws: `ModelFileError` if the file isn't a store, can't be opened, or has no model; `SQLiteError` if SQLite
  ///   can't open it.
  public static func findings(
    at url: URL, model: NSManagedObjectModel? = nil,
    progress: ((_ done: Int, _ total: Int) -> Void)? = nil
  ) throws -> [StoreFinding] {
    let file = try StoreFile(at: url.path, readingWithoutMetadata: true)
    guard let model = try model ?? file.cachedModel() else {
      throw ModelFileError(
        .noModel, "the store has no copy of its model; specify the model", path: url.path)
    }
    // A program may write the store meanwhile: all that is read of rows is of one state.
    return try SQLiteConnection.inspecting(url) { connection in
      var check = try StoreCheck(connection, at: url, file: file, model: model)
      try check.run(file, progress)
      return check.sorted
    }
  }

  private init(
    _ connection: SQLiteConnection, at url: URL, file: StoreFile, model: NSManagedObjectModel
  ) throws {
    self.url = url
    self.model = model
    self.connection = connection
    metadata = file.metadata
    let version = FrameworkVersion(recorded: metadata.frameworkVersion)
    schema = try StoreSchema(model: model, version: version)
    // Listed later, it would have the files of saves that the rows are too old for.
    externalFiles = ExternalData(store: url).fileNames
  }

  private mutating func run(_ file: StoreFile, _ progress: ((Int, Int) -> Void)?) throws {
    let steps: [(inout StoreCheck) throws -> Void] = [
      { try $0.checkFile() }, { try $0.checkMetadata(file) }, { try $0.checkSchema() },
      { try $0.checkEntityRows() }, { try $0.checkRows() }, { try $0.checkValues() },
      { try $0.checkUniqueness() }, { try $0.checkToOnes() }, { try $0.checkHiddenKeys() },
      { try $0.checkInverses() },
      { try $0.checkJoins() }, { try $0.checkMemberCounts() }, { try $0.checkOrder() },
      { try $0.checkExternalTags() }, { try $0.checkHistory() }, { try $0.checkExternalData() },
    ]
    for (index, step) in steps.enumerated() {
      progress?(index, steps.count)
      do {
        try step(&self)
      } catch {
        // A damaged page ends one step, not the check.
        add(.unreadable, "\((error as? SQLiteError)?.message ?? "\(error)")")
      }
      // What looks damaged may be of another state, and what is read from now on would be.
      try connection.checkPages()
    }
    progress?(steps.count, steps.count)
  }

  // MARK: Findings

  /// Adds a finding that doesn't concern rows.
  mutating func add(
    _ rule: StoreFinding.Rule, in subject: String? = nil, at property: String? = nil,
    _ message: String
  ) {
    findings.append(StoreFinding(rule, in: subject, at: property, message))
  }

  /// Adds a finding for the rows of a query, by the keys in its first column; none if there are no rows.
  ///
  /// - Parameter isBroken: whether a row violates the rule, if the query alone can't decide.
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
        // Keep only the smallest few keys.
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

  // MARK: Schema

  /// Whether a table has columns; missing ones are reported by ``checkSchema()``.
  func has(_ table: String, _ names: String...) -> Bool {
    columns[table].map { known in names.allSatisfy(known.contains) } ?? false
  }

  /// The non-abstract entities, whose tables may contain objects.
  var concreteEntities: [SchemaEntity] {
    schema.entities.filter { !$0.description.isAbstract && columns[$0.table] != nil }
  }

  /// The condition for rows of an entity and its subentities.
  func isKind(_ entity: SchemaEntity, _ row: String = "") -> String {
    let prefix = row.isEmpty ? "" : row + "."
    return entity.hasSubentities
      ? "\(prefix)Z_ENT BETWEEN \(entity.number) AND \(entity.lastNumber)"
      : "\(prefix)Z_ENT = \(entity.number)"
  }

  /// Whether an entity declares a property itself: inherited ones are checked with its parent.
  func declares(_ entity: SchemaEntity, _ property: String) -> Bool {
    entity.description.superentity?.propertiesByName[property] == nil
  }
}
