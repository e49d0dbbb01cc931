import DataModels
import Foundation

/// A save as a request to a store. Contexts save with ``NSManagedObjectContext/save()``; executing this request in a
/// context fails, as in Core Data.
///
/// ```swift
/// func save(_ request: NSSaveChangesRequest) throws {  // in a store's class
///   for object in request.insertedObjects ?? [] { try insert(object) }
///   for object in request.updatedObjects ?? [] { try update(object) }
///   for object in request.deletedObjects ?? [] { try delete(object.objectID) }
/// }
/// ```
open class NSSaveChangesRequest: NSPersistentStoreRequest, @unchecked Sendable {
  // Sendable: used in one place at a time, as Core Data requires of requests; a template is immutable.

  /// The new objects.
  public final let insertedObjects: Set<NSManagedObject>?
  /// The changed objects.
  public final let updatedObjects: Set<NSManagedObject>?
  /// The objects to delete.
  public final let deletedObjects: Set<NSManagedObject>?
  /// The objects whose versions are only to be checked.
  public final let lockedObjects: Set<NSManagedObject>?

  /// Creates a request.
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

  /// Returns a copy of the request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSSaveChangesRequest(
      inserted: insertedObjects, updated: updatedObjects, deleted: deletedObjects,
      locked: lockedObjects)
    copy.affectedStoreObjects = affectedStoreObjects
    return copy
  }
}
