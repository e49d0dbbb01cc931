import DataModels
import Foundation

/// A store whose contents live as long as its coordinator.
final class InMemoryEngine: RowTablesEngine, StoreEngineType {
  let reference: StoreReference
  private var storedMetadata: [String: Any]
  let isReadOnly: Bool
  let rows: RowTables

  private init(_ opening: StoreOpening) {
    isReadOnly = StoreOptions.isOn(NSReadOnlyPersistentStoreOption, in: opening.options)
    reference = StoreReference(identifier: UUID().uuidString, layouts: opening.layouts)
    rows = RowTables(reference)
    storedMetadata = [
      NSStoreTypeKey: NSInMemoryStoreType, NSStoreUUIDKey: reference.identifier,
      NSStoreModelVersionHashesKey: opening.versionHashes,
      NSStoreModelVersionIdentifiersKey: opening.versionIdentifiers,
    ]
  }

  var metadata: [String: Any] {
    get { storedMetadata }
    set { storedMetadata = StoreMetadataKeys.keepingOwn(of: storedMetadata, in: newValue) }
  }

  func takeIdentifier(_ identifier: String) { storedMetadata[NSStoreUUIDKey] = identifier }

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

  // MARK: Writing

  func reserveKeys(_ count: Int, for root: EntityLayout) throws -> Int64 {
    let table = rows.table(root)
    let first = table.lastKey + 1
    table.lastKey += Int64(count)
    return first
  }

  var commitTurn: CommitTurn { .memory }

  func prepare(_ changes: StoreChanges) throws -> any PreparedSave {
    let plan = try rows.plan(changes)
    return DeferredSave { [rows] in
      try rows.write(changes, plan)
      return SaveOutcome(written: plan.written)
    }
  }
}
