import DataModels
import Foundation

/// Requests other than fetches.
extension NSManagedObjectContext {
  /// The implementation of ``execute(_:)``.
  final func carryOut(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
    guard let coordinator = persistentStoreCoordinator else {
      throw CoreDataError.make(
        NSPersistentStoreOperationError, "The context has neither a parent nor a coordinator.")
    }
    guard let request = request as? any ExecutableRequest else {
      throw CoreDataError.make(
        NSPersistentStoreUnsupportedRequestTypeError,
        "A context can't execute a \(type(of: request)) this way; fetching and saving have methods of "
          + "their own.")
    }
    return try request.execute(in: self, coordinator)
  }
}

extension NSPersistentStoreCoordinator {
  /// The implementation of ``execute(_:with:)``.
  final func carryOut(
    _ request: NSPersistentStoreRequest, for context: NSManagedObjectContext
  ) throws -> Any {
    if let request = request as? AnyFetchRequest { return try context.results(of: request) }
    return try context.execute(request)
  }
}
