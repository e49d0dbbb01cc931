import DataModels
import Foundation

/// A store that lives as long as its coordinator.
final class InMemoryEngine: StoreEngine, StoreEngineType {
  /// A row, and the members of its relationships.
  struct Row {
    let layout: EntityLayout
    var version: Int64 = 0
    var values: [StoredValue]
    var toManys: [[NSManagedObjectID]]

    init(_ layout: EntityLayout) {
      self.layout = layout
      values = Array(repeating: .null, count: layout.valueCount)
      toManys = layout.toManys.map { _ in [] }
    }
  }

  /// The rows of an entity and those below it.
  final class Table {
    var rows: [Int64: Row] = [:]
    var lastKey: Int64 = 0
  }

  let reference: StoreReference
  var metadata: [String: Any]
  let isReadOnly: Bool
  private var tables: [ObjectIdentifier: Table] = [:]

  private init(_ opening: StoreOpening) {
    isReadOnly = StoreOptions.isOn(NSReadOnlyPersistentStoreOption, in: opening.options)
    reference = StoreReference(identifier: UUID().uuidString, layouts: opening.layouts)
    metadata = [
      NSStoreTypeKey: NSInMemoryStoreType, NSStoreUUIDKey: reference.identifier,
      NSStoreModelVersionHashesKey: opening.versionHashes,
      NSStoreModelVersionIdentifiersKey: opening.versionIdentifiers,
    ]
  }

  static func open(_ opening: StoreOpening) throws -> any StoreEngine {
    try opening.refuseDerivedAttributes(NSInMemoryStoreType)
    return InMemoryEngine(opening)
  }

  static func metadata(at url: URL, options: [AnyHashable: Any]?) throws -> [String: Any] {
    throw noFile()
  }

  static func setMetadata(
    _ metadata: [String: Any], at url: URL, options: [AnyHashable: Any]?
  ) throws { throw noFile() }

  static func replace(
    at url: URL, withStoreAt source: URL, options: [AnyHashable: Any]?
  ) throws { throw noFile() }

  static func destroy(at url: URL, options: [AnyHashable: Any]?) throws {}

  private static func noFile() -> NSError {
    CoreDataError.make(NSPersistentStoreOperationError, "A store in memory has no file.")
  }

  func table(_ layout: EntityLayout) -> Table {
    let place = ObjectIdentifier(layout.root)
    if let table = tables[place] { return table }
    let table = Table()
    tables[place] = table
    return table
  }

  // MARK: Reading

  func fetch(_ query: RowQuery, into sink: any RowSink) throws -> Bool {
    let table = table(query.layout)
    for key in table.rows.keys.sorted() {
      guard let row = table.rows[key], query.includes(row.layout) else { continue }
      send(row, key, to: sink)
    }
    return false
  }

  func count(_ query: RowQuery) throws -> Int? {
    guard query.predicate == nil, query.limit == 0, query.offset == 0 else { return nil }
    return table(query.layout).rows.values.count { query.includes($0.layout) }
  }

  func dictionaries(_ query: RowQuery, plan: DictionaryPlan) throws -> [[String: Any]]? { nil }

  func fetchRow(_ id: NSManagedObjectID, into sink: any RowSink) throws -> Bool {
    guard let row = table(id.layout).rows[id.key] else { return false }
    send(row, id.key, to: sink)
    return true
  }

  func fetchDestinations(
    of id: NSManagedObjectID, _ property: PropertyLayout, into sink: any RowSink
  ) throws {
    guard let row = table(id.layout).rows[id.key],
      row.toManys.indices.contains(property.slot)
    else { return }
    for target in row.toManys[property.slot] { _ = try fetchRow(target, into: sink) }
  }

  private func send(_ row: Row, _ key: Int64, to sink: any RowSink) {
    guard let slot = sink.beginRow(of: row.layout, key: key, version: row.version) else { return }
    sink.fill(slot, with: row.values)
  }

  // MARK: Writing

  func reserveKeys(_ count: Int, for root: EntityLayout) throws -> Int64 {
    let table = table(root)
    let first = table.lastKey + 1
    table.lastKey += Int64(count)
    return first
  }

  var commitTurn: CommitTurn { .memory }

  func prepare(_ changes: StoreChanges) throws -> any PreparedSave {
    var conflicts = StoreConflicts()
    let written = writtenUpdates(of: changes)
    // What somebody else has deleted before needn't be: nothing is lost.
    let deleted = changes.deleted.filter { table($0.layout).rows[$0.key] != nil }
    for change in written.map({ changes.updated[$0] }) + deleted + changes.guarded {
      let row = table(change.layout).rows[change.key]
      guard row?.version != change.version else { continue }
      conflicts.versions.append((RowKey(change), row.map { stored($0, change.key) }))
    }
    guard conflicts.isEmpty else { throw conflicts }
    return DeferredSave { [self] in
      write(changes, updating: written, deleting: deleted)
      return SaveOutcome(written: written)
    }
  }

  private func stored(_ row: Row, _ key: Int64) -> StoredRow {
    StoredRow(layout: row.layout, key: key, version: row.version, values: row.values)
  }

  func close() { tables.removeAll() }
}
