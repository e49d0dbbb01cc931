import DataModels
import Foundation
import PropertyLists

/// A temporary SQLite store with the rows of an XML or binary store under their own keys, for tools that list and
/// inspect stores. Its temporary folder is removed with the object. The original store is only read.
package final class SQLiteImage {
  /// The location of the SQLite store.
  package let url: URL
  /// The type of the original store; the image itself is a SQLite store.
  package let storeType: String?
  /// The version of the framework that wrote the original store; the image uses the current layout.
  package let frameworkVersion: Int?
  private let folder: TemporaryFolder

  /// Creates an image of a store.
  ///
  /// - Parameters:
  ///   - source: an XML or binary store.
  ///   - model: the store's model, with the same version hashes.
  /// - Throws: an `NSError` if the store can't be read with the model.
  package init(of source: URL, model: NSManagedObjectModel) throws {
    folder = try TemporaryFolder()
    url = folder.url.appendingPathComponent("store.sqlite")
    let opened = try StoreTypes.ofFile(at: source).open(
      Self.opening(source, with: model, options: [NSReadOnlyPersistentStoreOption: true]))
    defer { opened.close() }
    guard let opened = opened as? any RowTablesEngine else {
      throw CoreDataError.make(
        NSPersistentStoreInvalidTypeError, "The store isn't read as a whole.",
        userInfo: [NSFilePathErrorKey: source.path])
    }
    storeType = opened.metadata[StoreMetadataKeys.type] as? String
    frameworkVersion = opened.metadata[StoreMetadataKeys.frameworkVersion] as? Int
    let engine = try SQLiteEngine.open(Self.opening(url, with: model, options: nil))
    defer { engine.close() }
    guard let engine = engine as? SQLiteEngine else { return }
    try Self.copy(opened.rows, to: engine)
    try Self.copyMetadata(of: opened, to: engine)
  }

  private static func opening(
    _ url: URL, with model: NSManagedObjectModel, options: [AnyHashable: Any]?
  ) -> StoreOpening {
    StoreOpening(
      url: url, model: model, layouts: ModelLayout.of(model), configuration: nil,
      entityNames: nil, options: options, reference: nil)
  }

  // MARK: File information without a model

  /// A description of the kind of store in a file, for messages; nil for a SQLite store or another file.
  package static func kind(of url: URL) -> String? {
    guard let kind = StoreFileKind(contentsOf: url), kind != .sqlite else { return nil }
    return kind.text
  }

  /// The store type of a file; nil if it isn't a store.
  package static func storeType(of url: URL) -> String? {
    StoreFileKind(contentsOf: url)?.storeType
  }

  /// The version hashes that an XML or binary store records; empty for stores of old frameworks.
  package static func entityHashes(of url: URL) throws -> [String: Data] {
    let metadata = try StoreTypes.ofFile(at: url).metadata(at: url, options: nil)
    return metadata[StoreMetadataKeys.hashes] as? [String: Data] ?? [:]
  }

  // MARK: Rows

  private static func copy(_ rows: RowTables, to engine: SQLiteEngine) throws {
    var all: [(key: Int64, row: RowTables.Row)] = []
    rows.forEach { all.append(($0, $1)) }
    all.sort {
      ($0.row.layout.root.name, $0.key) < ($1.row.layout.root.name, $1.key)
    }
    let store = engine.reference
    func moved(_ id: NSManagedObjectID) -> NSManagedObjectID {
      NSManagedObjectID(layout: id.layout, store: store, key: id.key)
    }
    var changes = StoreChanges()
    var roots: [ObjectIdentifier: EntityLayout] = [:]
    for (key, row) in all {
      roots[ObjectIdentifier(row.layout.root)] = row.layout.root
      changes.insert(
        row.layout, key: key,
        values: row.values.map { $0.reference.map { .reference(moved($0)) } ?? $0 })
      guard let owner = changes.inserted.last else { continue }
      for property in row.layout.toManys where row.toManys.indices.contains(property.slot) {
        // The relationship is recorded in the members' own rows.
        let isTold = property.isToldByMembers && !property.isOrdered
        let members = row.toManys[property.slot].map(moved)
        guard !isTold, !members.isEmpty else { continue }
        changes.members.append(
          MemberChange(
            owner: owner, property: property, added: property.isToldByMembers ? [] : members,
            removed: [], order: property.isOrdered ? members : nil))
      }
    }
    let save = try engine.prepare(changes)
    _ = try save.commit()
    // New objects get keys after the existing ones.
    for root in roots.values { _ = try engine.reserveKeys(0, for: root) }
  }

  private static func copyMetadata(
    of source: any StoreEngine, to engine: SQLiteEngine
  ) throws {
    var metadata = try engine.connection.readMetadata()
    metadata[StoreMetadataKeys.uuid] = source.metadata[StoreMetadataKeys.uuid]
    try engine.connection.transaction(.immediate) {
      try engine.connection.writeMetadata(metadata)
    }
  }
}
