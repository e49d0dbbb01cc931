import DataModels
import Foundation
import PropertyLists

/// A SQLite store with the rows of an XML or binary store, each under its own number, for those who list and look over
/// what stores hold. It lies in a temporary folder that goes with the object; the store itself is only read.
package final class SQLiteImage {
  /// Where the SQLite store is.
  package let url: URL
  /// The type of the store that the image is of; the image's own is SQLite.
  package let storeType: String?
  /// The version of the framework that wrote the store; the image is laid out as of today.
  package let frameworkVersion: Int?
  private let folder: TemporaryFolder

  /// Makes an image.
  ///
  /// - Parameters:
  ///   - source: an XML or binary store.
  ///   - model: the store's model, which has its version hashes.
  /// - Throws: an `NSError` when the store can't be read with the model.
  package init(of source: URL, model: NSManagedObjectModel) throws {
    folder = try TemporaryFolder()
    url = folder.url.appendingPathComponent("store.sqlite")
    let opened = try StoreTypes.ofFile(at: source).open(
      Self.opening(source, model, [NSReadOnlyPersistentStoreOption: true]))
    defer { opened.close() }
    guard let opened = opened as? any RowTablesEngine else {
      throw CoreDataError.make(
        NSPersistentStoreInvalidTypeError, "The store isn't read as a whole.",
        [NSFilePathErrorKey: source.path])
    }
    storeType = opened.metadata[StoreMetadataKeys.type] as? String
    frameworkVersion = opened.metadata[StoreMetadataKeys.frameworkVersion] as? Int
    let engine = try SQLiteEngine.open(Self.opening(url, model, nil))
    defer { engine.close() }
    guard let engine = engine as? SQLiteEngine else { return }
    try Self.copy(opened.rows, to: engine)
    try Self.copyMetadata(of: opened, to: engine)
  }

  private static func opening(
    _ url: URL, _ model: NSManagedObjectModel, _ options: [AnyHashable: Any]?
  ) -> StoreOpening {
    StoreOpening(
      url: url, model: model, layouts: ModelLayout.of(model), configuration: nil,
      entityNames: nil, options: options, reference: nil)
  }

  // MARK: What a file says without a model

  /// What kind of store a file is, for messages; nil for one that is none, or a SQLite store.
  package static func kind(of url: URL) -> String? {
    guard let kind = StoreFileKind(contentsOf: url), kind != .sqlite else { return nil }
    return kind.text
  }

  /// The name of the type of store that a file is; nil for one that is none.
  package static func storeType(of url: URL) -> String? {
    StoreFileKind(contentsOf: url)?.storeType
  }

  /// The version hashes that an XML or binary store records; none in stores of old frameworks.
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
        // The members' own rows say whom they belong to.
        let isTold = property.inverseIsToOne && !property.isOrdered
        let members = row.toManys[property.slot].map(moved)
        guard !isTold, !members.isEmpty else { continue }
        changes.members.append(
          MemberChange(
            owner: owner, property: property, added: property.inverseIsToOne ? [] : members,
            removed: [], order: property.isOrdered ? members : nil))
      }
    }
    let save = try engine.prepare(changes)
    _ = try save.commit()
    // The next object comes after those that are there.
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
