import Foundation

/// What is asked of a store: a fetch, a save, a batch.
open class NSPersistentStoreRequest: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: used in one place at a time, as Core Data asks of requests; a template never changes.

  /// The stores asked, for the module that knows stores; `nil` for all.
  package final var affectedStoreObjects: [AnyObject]?

  /// Makes a request to all stores.
  public override init() {}

  /// What kind of request it is. Subclasses say.
  open var requestType: NSPersistentStoreRequestType { .fetchRequestType }

  /// Makes a copy of the request.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSPersistentStoreRequest()
    copy.affectedStoreObjects = affectedStoreObjects
    return copy
  }
}

/// The kinds of requests to a store.
public enum NSPersistentStoreRequestType: UInt, Sendable, CaseIterable {
  /// Objects, their identities, dictionaries or a count are asked for.
  case fetchRequestType = 1
  /// Changes are written.
  case saveRequestType = 2
  /// Rows are inserted without objects.
  case batchInsertRequestType = 5
  /// Rows are changed without objects.
  case batchUpdateRequestType = 6
  /// Rows are deleted without objects.
  case batchDeleteRequestType = 7
}
