import Foundation
import ManagedModel

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
  /// The identifier of a store that is made at a place. Default: a UUID's text.
  open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

  /// Carries out a request.
  ///
  /// - Parameters:
  ///   - request: an `NSFetchRequest` for objects, with predicate, order, limit and offset, all to be
  ///     heeded; or an ``NSSaveChangesRequest``.
  ///   - context: the context that saves; for a fetch one that ``NSManagedObjectContext/object(with:)``
  ///     may be asked of.
  /// - Returns: Objects or identities for a fetch, an empty array for a save.
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

  private final func unsupported(_ method: String) -> NSError {
    CoreDataError.make(
      NSPersistentStoreUnsupportedRequestTypeError,
      "The store class \(Swift.type(of: self)) doesn't override \(method).")
  }
}
