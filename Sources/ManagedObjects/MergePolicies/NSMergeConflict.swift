import Foundation

/// An object whose row another writer has changed since it was read.
///
/// ```swift
/// do {
///   try context.save()
/// } catch let error as NSError where error.code == NSManagedObjectMergeError {
///   let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
///   for conflict in conflicts ?? [] {
///     print(conflict.sourceObject.objectID, conflict.cachedSnapshot ?? [:])
///   }
/// }
/// ```
///
/// In Core Data there are two kinds: between a context and the coordinator's row cache, which another context has
/// saved into, and between that cache and the file. MomKit has no such cache, since each save checks the file. Its
/// conflicts are of the first kind, whoever the other writer is: ``cachedSnapshot`` is the row as it is now, and
/// ``persistedSnapshot`` is nil.
open class NSMergeConflict: NSObject {
  /// The object.
  public final let sourceObject: NSManagedObject
  /// The row's current version; 0 if it was deleted.
  public final let newVersionNumber: Int
  /// The row's version when the object was read.
  public final let oldVersionNumber: Int
  /// The row's current values, `NSNull` for none; nil if it was deleted.
  public final let cachedSnapshot: [String: Any]?
  /// Nil, as described above, unless a program created the conflict with a value.
  public final let persistedSnapshot: [String: Any]?
  /// The values that the object was read with, `NSNull` for none. The object itself has its current values.
  public final let objectSnapshot: [String: Any]?
  private let knownRow: StoredRow?

  /// Creates a conflict.
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

  /// The object, both versions and both snapshots.
  public override var description: String {
    func text(_ snapshot: [String: Any]?) -> String {
      guard let snapshot else { return "nil" }
      let values = snapshot.keys.sorted().map { "\($0) = \(snapshot[$0] ?? NSNull())" }
      return "{\(values.joined(separator: "; "))}"
    }
    func address(_ object: AnyObject) -> String {
      String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16)
    }
    return "NSMergeConflict (0x\(address(self))) for NSManagedObject "
      + "(0x\(address(sourceObject))) with objectID '\(sourceObject.objectID)' with oldVersion = \(oldVersionNumber) and "
      + "newVersion = \(newVersionNumber) and old object snapshot = \(text(objectSnapshot)) and "
      + "new cached row = \(text(cachedSnapshot))"
  }

  /// The current row; for a conflict that a program created, taken from its newest snapshot; nil for a deleted row.
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
  /// Attributes and to-one relationships by name, with `NSNull` for none and object IDs for objects.
  ///
  /// - Parameter layout: the values' entity; nil for the object's own.
  final func snapshot(of values: [StoredValue], _ layout: EntityLayout? = nil) -> [String: Any] {
    var snapshot: [String: Any] = [:]
    for property in (layout ?? self.layout).values where values.indices.contains(property.slot) {
      snapshot[property.name] =
        object(of: values[property.slot], property) ?? NSNull()
    }
    return snapshot
  }
}
