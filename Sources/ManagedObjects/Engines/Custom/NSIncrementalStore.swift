import DataModels
import Foundation

/// A store that is asked for rows as they are needed: a class of stores of one's own, in front of a
/// service, say, or of another database.
///
/// A class overrides ``NSPersistentStore/loadMetadata()``, ``execute(_:with:)``,
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
/// The store's methods are called in the coordinator's turn, one request at a time.
open class NSIncrementalStore: NSPersistentStore, @unchecked Sendable {
  // Sendable: as its superclass: the coordinator calls it in its turn of the stores.

  /// The identifier of a store that is made at a place. Default: a UUID's text.
  open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

  /// Carries out a request.
  ///
  /// - Parameters:
  ///   - request: an `NSFetchRequest<NSFetchRequestResult>` with predicate, order, limit and offset, all to
  ///     be heeded, for objects, their number or dictionaries, as its result type says; or an
  ///     ``NSSaveChangesRequest``, which is empty when a context without changes is saved.
  ///   - context: the context that saves; for a fetch one that ``NSManagedObjectContext/object(with:)``
  ///     may be asked of.
  /// - Returns: Objects or identities for a fetch of objects; an array with the number for one of their
  ///   number, and dictionaries for one of dictionaries, or objects or identities again, of which the context
  ///   then makes what is wanted; an empty array for a save.
  ///
  /// In a save of several stores the request comes when all other stores have checked their parts, and
  /// before they commit: if it fails, nothing is saved anywhere.
  open func execute(
    _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?
  ) throws -> Any {
    throw unsupported("execute(_:with:)")
  }

  /// The values of a row.
  ///
  /// - Throws: an error when there is no such row.
  open func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    throw unsupported("newValuesForObject(with:with:)")
  }

  /// Where a relationship leads: an identity or `NSNull`, for a to-many a collection of identities.
  open func newValue(
    forRelationship relationship: NSRelationshipDescription,
    forObjectWith objectID: NSManagedObjectID, with context: NSManagedObjectContext?
  ) throws -> Any {
    throw unsupported("newValue(forRelationship:forObjectWith:with:)")
  }

  /// Objects of these identities are in use by a context. Declared so that classes written for Core Data can
  /// override it; MomKit doesn't call it, as contexts take rows in and let objects go without counting them.
  open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

  /// Objects of these identities are no longer in use by a context. Never called; see
  /// ``managedObjectContextDidRegisterObjects(with:)``.
  open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

  /// The lasting identities of new objects, made by ``newObjectID(for:referenceObject:)``. Default: named
  /// by UUIDs.
  open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
    array.map { newObjectID(for: $0.entity, referenceObject: UUID().uuidString) }
  }

  /// The identity of the row that a reference object names: a text, a number or anything else that is
  /// hashable, of the class's choice.
  public final func newObjectID(
    for entity: NSEntityDescription, referenceObject data: Any
  ) -> NSManagedObjectID {
    identity(
      for: entity, reference: data, "-[NSIncrementalStore newObjectIDForEntity:referenceObject:]")
  }

  /// The reference object of an identity.
  public final func referenceObject(for objectID: NSManagedObjectID) -> Any {
    reference(of: objectID, "-[NSIncrementalStore referenceObjectForObjectID:]")
  }
}
