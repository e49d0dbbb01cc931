import DataModels
import Foundation

/// Requests other than fetches.
extension NSManagedObjectContext {
  /// Executes a batch request or a persistent history request.
  ///
  /// ```swift
  /// let request = NSBatchUpdateRequest(entityName: "Person")
  /// request.propertiesToUpdate = ["isActive": false]
  /// request.resultType = .updatedObjectsCountResultType
  /// let result = try context.execute(request) as? NSBatchUpdateResult
  /// print(result?.result as? Int ?? 0)
  /// ```
  ///
  /// The request ignores the context's unsaved changes and doesn't update its objects: merge the result with
  /// ``mergeChanges(fromRemoteContextSave:into:)``.
  ///
  /// - Throws: ``NSPersistentStoreUnsupportedRequestTypeError`` for a request that a store doesn't support; errors of
  ///   the store. After an error nothing was changed.
  @discardableResult
  public final func execute(
    _ request: NSPersistentStoreRequest
  ) throws -> NSPersistentStoreResult {
    guard let coordinator = persistentStoreCoordinator else {
      throw CoreDataError.make(
        NSPersistentStoreOperationError, "The context has neither a parent nor a coordinator.")
    }
    guard let request = request as? any ExecutableRequest else {
      throw CoreDataError.make(
        NSPersistentStoreUnsupportedRequestTypeError,
        "A context can't carry out a \(type(of: request)) this way; fetch and save have methods of "
          + "their own.")
    }
    return try request.execute(in: self, coordinator)
  }
}

extension NSPersistentStoreCoordinator {
  /// Executes a request for a context.
  ///
  /// - Returns: an array of objects, object IDs, dictionaries or numbers for a fetch; the result object for a batch
  ///   request or for persistent history.
  @discardableResult
  public final func execute(
    _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext
  ) throws -> Any {
    if let request = request as? AnyFetchRequest { return try context.results(of: request) }
    return try context.execute(request)
  }
}
