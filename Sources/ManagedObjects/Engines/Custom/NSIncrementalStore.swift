import DataModels
import Foundation

/// A store that provides rows on demand. Subclass it to define a custom store, for example in front of a service or
/// another database.
///
/// A subclass overrides ``NSPersistentStore/loadMetadata()``, ``execute(_:with:)``,
/// ``newValuesForObject(with:with:)`` and ``newValue(forRelationship:forObjectWith:with:)``.
///
/// ```swift
/// final class ServiceStore: NSIncrementalStore {
///   override func loadMetadata() throws {
///     metadata = [NSStoreUUIDKey: "…", NSStoreTypeKey: "Service"]
///   }
///   override func execute(
///     _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?
///   ) throws -> Any {
///     switch request {
///     case let fetch as NSFetchRequest<NSFetchRequestResult>:
///       return ids(for: fetch).compactMap { context?.object(with: $0) }
///     case let save as NSSaveChangesRequest: …
///   }
/// }
/// NSPersistentStoreCoordinator.registerStoreClass(ServiceStore.self, type: .init(rawValue: "Service"))
/// ```
///
/// The coordinator serializes calls of the store's methods.
open class NSIncrementalStore: NSPersistentStore, @unchecked Sendable {
  // Sendable: like its superclass, because the coordinator serializes calls to its stores.

  /// The identifier of a new store at a URL. The default is the text of a UUID.
  open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

  /// Executes a request.
  ///
  /// In a save of several stores this is called after all other stores have checked their parts, and before they
  /// commit: if it fails, nothing is saved anywhere.
  ///
  /// - Parameters:
  ///   - request: an `NSFetchRequest<NSFetchRequestResult>` or an ``NSSaveChangesRequest``. The store must apply a
  ///     fetch's predicate, sort order, limit and offset, and its result type asks for objects, their number or
  ///     dictionaries. The save request is empty when a context without changes is saved.
  ///   - context: the context that saves; for a fetch, a context for calls of
  ///     ``NSManagedObjectContext/object(with:)``.
  /// - Returns: for a fetch of objects, objects or object IDs. For a count, an array with the number; for
  ///   dictionaries, an array of dictionaries; in both cases alternatively objects or object IDs, from which the
  ///   context computes the result. For a save, an empty array.
  open func execute(
    _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?
  ) throws -> Any {
    throw unsupported("execute(_:with:)")
  }

  /// The values of a row.
  ///
  /// - Throws: `CocoaError(.managedObjectReferentialIntegrity)` (133000) if there is no such row: that of an object that
  ///   somebody else has deleted. Such an object can be deleted, and counts as deleted when conflicts are resolved. Any
  ///   other error means that the store couldn't look, and stops what asked for the row.
  open func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    throw unsupported("newValuesForObject(with:with:)")
  }

  /// The destinations of a relationship: an object ID or `NSNull`; for a to-many relationship a collection of object
  /// IDs. IDs of rows that don't exist are left out.
  ///
  /// - Throws: ``NSManagedObjectReferentialIntegrityError`` if there is no row of the object itself.
  open func newValue(
    forRelationship relationship: NSRelationshipDescription,
    forObjectWith objectID: NSManagedObjectID, with context: NSManagedObjectContext?
  ) throws -> Any {
    throw unsupported("newValue(forRelationship:forObjectWith:with:)")
  }

  /// Tells the store that a context uses objects with these IDs. Declared so that classes written for Core Data can
  /// override it; MomKit doesn't call it, because contexts don't count the objects they load and release.
  open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

  /// Tells the store that a context no longer uses objects with these IDs. Never called; see
  /// ``managedObjectContextDidRegisterObjects(with:)``.
  open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

  /// The permanent IDs of new objects, created with ``newObjectID(for:referenceObject:)``. The default uses UUIDs as
  /// reference objects.
  open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
    array.map { newObjectID(for: $0.entity, referenceObject: UUID().uuidString) }
  }

  /// The ID of the row that a reference object identifies. The reference object is a string, a number or another
  /// hashable value of the subclass's choice.
  public final func newObjectID(
    for entity: NSEntityDescription, referenceObject data: Any
  ) -> NSManagedObjectID {
    identity(
      for: entity, reference: data, "-[NSIncrementalStore newObjectIDForEntity:referenceObject:]")
  }

  /// The reference object of an ID.
  public final func referenceObject(for objectID: NSManagedObjectID) -> Any {
    reference(of: objectID, "-[NSIncrementalStore referenceObjectForObjectID:]")
  }
}
