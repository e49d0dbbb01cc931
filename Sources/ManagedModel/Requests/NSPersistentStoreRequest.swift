import Foundation

/// What is asked of a store: a fetch, a save, a batch.
open class NSPersistentStoreRequest: NSObject, NSCopying, @unchecked Sendable {
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
