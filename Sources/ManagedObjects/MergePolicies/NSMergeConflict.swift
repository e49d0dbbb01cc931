import Foundation

/// An object whose row another writer changed since it was read.
///
/// Core Data knows two kinds: of a context with the coordinator's cache of rows, which another context has
/// saved into, and of that cache with the file. MomKit has no such cache, each save looks at the file; its
/// conflicts are of the first kind, whoever the other writer is: ``cachedSnapshot`` is the row as it is now,
/// and ``persistedSnapshot`` is nil.
open class NSMergeConflict: NSObject {
  /// The object.
  public final let sourceObject: NSManagedObject
  /// The row's version now; 0 when it was deleted.
  public final let newVersionNumber: Int
  /// The row's version when the object was read.
  public final let oldVersionNumber: Int
  /// The values the row has now, `NSNull` for none; nil when it was deleted.
  public final let cachedSnapshot: [String: Any]?
  /// Nil; see above. A conflict that a program makes has what the program says.
  public final let persistedSnapshot: [String: Any]?
  /// The values the object was read with, `NSNull` for none; what it has in memory, the object itself
  /// tells.
  public final let objectSnapshot: [String: Any]?
  private let knownRow: StoredRow?

  /// Describes a conflict.
  public init(
    source srcObject: NSManagedObject, newVersion newvers: Int, oldVersion oldvers: Int,
    cachedSnapshot cachesnap: [String: Any]?, persistedSnapshot persnap: [String: Any]?
  ) {
    sourceObject = srcObject
    newVersionNumber = newvers
    oldVersionNumber = oldvers
    cachedSnapshot = cachesnap
    persistedSnapshot = persnap
    objectSnapshot = srcObject.snapshot(of: srcObject.committed)
    knownRow = nil
  }

  init(_ object: NSManagedObject, row: StoredRow?) {
    sourceObject = object
    newVersionNumber = row.map { Int($0.version) } ?? 0
    oldVersionNumber = Int(object.version)
    cachedSnapshot = row.map { object.snapshot(of: $0.values, $0.layout) }
    persistedSnapshot = nil
    objectSnapshot = object.snapshot(of: object.committed)
    knownRow = row
  }

  /// The row as it is now, which a conflict that a program made tells by its newest snapshot; nil for a
  /// deleted one.
  var row: StoredRow? {
    if let knownRow { return knownRow }
    guard newVersionNumber != 0, let snapshot = persistedSnapshot ?? cachedSnapshot else {
      return nil
    }
    let object = sourceObject
    var values = object.committed.isEmpty ? object.values : object.committed
    for property in object.layout.values where values.indices.contains(property.slot) {
      guard let value = snapshot[property.name] else { continue }
      if property.isRelationship {
        let id = (value as? NSManagedObject)?.objectID ?? value as? NSManagedObjectID
        values[property.slot] = id.map { .reference($0) } ?? .null
      } else if let stored = AttributeCodec.stored(value, type: property.attributeType) {
        values[property.slot] = stored
      }
    }
    return StoredRow(
      layout: object.layout, key: object.rowKey, version: Int64(newVersionNumber), values: values)
  }
}

extension NSManagedObject {
  /// Attributes and to-ones by name: `NSNull` for none, identities for objects.
  ///
  /// - Parameter layout: whose values they are; nil for the object's own entity.
  final func snapshot(of values: [StoredValue], _ layout: EntityLayout? = nil) -> [String: Any] {
    var snapshot: [String: Any] = [:]
    for property in (layout ?? self.layout).values where values.indices.contains(property.slot) {
      snapshot[property.name] =
        object(of: values[property.slot], property) ?? NSNull()
    }
    return snapshot
  }
}
