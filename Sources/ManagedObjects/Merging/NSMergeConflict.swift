import Foundation

/// An object whose row another writer changed since it was read.
open class NSMergeConflict: NSObject {
  /// The object.
  public final let sourceObject: NSManagedObject
  /// The row's version now; 0 when it was deleted.
  public final let newVersionNumber: Int
  /// The row's version when the object was read.
  public final let oldVersionNumber: Int
  /// The values the object was read with.
  public final let cachedSnapshot: [String: Any]?
  /// The values the row has now; nil when it was deleted.
  public final let persistedSnapshot: [String: Any]?
  let row: StoredRow?

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
    row = nil
  }

  init(_ object: NSManagedObject, row: StoredRow?) {
    sourceObject = object
    newVersionNumber = row.map { Int($0.version) } ?? 0
    oldVersionNumber = Int(object.version)
    cachedSnapshot = object.snapshot(of: object.committed)
    persistedSnapshot = row.map { object.snapshot(of: $0.values) }
    self.row = row
  }

  /// The values the object has in memory.
  public final var objectSnapshot: [String: Any]? { sourceObject.snapshot(of: sourceObject.values) }
}

extension NSManagedObject {
  /// Attributes and to-ones by name: `NSNull` for none, identities for objects.
  final func snapshot(of values: [StoredValue]) -> [String: Any] {
    var snapshot: [String: Any] = [:]
    for property in layout.values where values.indices.contains(property.slot) {
      snapshot[property.name] =
        object(of: values[property.slot], property) ?? NSNull()
    }
    return snapshot
  }
}
