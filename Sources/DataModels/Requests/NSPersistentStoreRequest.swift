import Foundation

/// A request to stores, such as a fetch, a save or a batch operation.
///
/// ```swift
/// let request: NSPersistentStoreRequest = NSFetchRequest<NSFetchRequestResult>(entityName: "Person")
/// request.affectedStores = [archive]
/// let isFetch = request.requestType == .fetchRequestType
/// ```
open class NSPersistentStoreRequest: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: used by one thread at a time, as Core Data requires for requests; a template is immutable.

  /// The stores to which the request applies, for the module that implements stores; `nil` for all.
  package final var affectedStoreObjects: [AnyObject]?

  /// Creates a request that applies to all stores.
  public override init() {}

  /// The kind of request. Overridden by subclasses.
  open var requestType: NSPersistentStoreRequestType { .fetchRequestType }

  /// Creates a copy of the request.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSPersistentStoreRequest()
    copy.affectedStoreObjects = affectedStoreObjects
    return copy
  }
}

/// The kinds of requests to a store.
public enum NSPersistentStoreRequestType: UInt, Sendable, CaseIterable {
  /// Fetches objects, their identities, dictionaries or a count.
  case fetchRequestType = 1
  /// Saves changes.
  case saveRequestType = 2
  /// Inserts rows without creating objects.
  case batchInsertRequestType = 5
  /// Updates rows without creating objects.
  case batchUpdateRequestType = 6
  /// Deletes rows without creating objects.
  case batchDeleteRequestType = 7
}
