import DataModels
import Foundation

/// What a save writes, as a request. Contexts save with ``NSManagedObjectContext/save()``; one that is
/// given this request refuses it, as in Core Data.
open class NSSaveChangesRequest: NSPersistentStoreRequest, @unchecked Sendable {
  // Sendable: used in one place at a time, as Core Data asks of requests; a template never changes.

  /// The new objects.
  public final let insertedObjects: Set<NSManagedObject>?
  /// The changed objects.
  public final let updatedObjects: Set<NSManagedObject>?
  /// The objects to be deleted.
  public final let deletedObjects: Set<NSManagedObject>?
  /// The objects whose versions are only checked.
  public final let lockedObjects: Set<NSManagedObject>?

  /// Makes a request.
  public init(
    inserted insertedObjects: Set<NSManagedObject>?, updated updatedObjects: Set<NSManagedObject>?,
    deleted deletedObjects: Set<NSManagedObject>?, locked lockedObjects: Set<NSManagedObject>?
  ) {
    self.insertedObjects = insertedObjects
    self.updatedObjects = updatedObjects
    self.deletedObjects = deletedObjects
    self.lockedObjects = lockedObjects
  }

  /// Always `NSPersistentStoreRequestType.saveRequestType`.
  open override var requestType: NSPersistentStoreRequestType { .saveRequestType }

  /// Makes a copy of the request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSSaveChangesRequest(
      inserted: insertedObjects, updated: updatedObjects, deleted: deletedObjects,
      locked: lockedObjects)
    copy.affectedStoreObjects = affectedStoreObjects
    return copy
  }
}
