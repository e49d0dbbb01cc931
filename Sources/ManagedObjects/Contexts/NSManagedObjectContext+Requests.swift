import DataModels
import Foundation

/// Requests that aren't fetches.
extension NSManagedObjectContext {
  /// Carries out a batch request, or one for persistent history.
  ///
  /// ```swift
  /// let request = NSBatchUpdateRequest(entityName: "Person")
  /// request.propertiesToUpdate = ["isActive": false]
  /// request.resultType = .updatedObjectsCountResultType
  /// let result = try context.execute(request) as? NSBatchUpdateResult
  /// print(result?.result as? Int ?? 0)
  /// ```
  ///
  /// The context's unsaved changes take no part, and its objects don't notice: tell it with
  /// ``mergeChanges(fromRemoteContextSave:into:)``.
  ///
  /// - Throws: ``NSPersistentStoreUnsupportedRequestTypeError`` for a request that a store doesn't
  ///   know; what the store throws. After an error nothing was changed.
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
  /// Carries out a request for a context.
  ///
  /// - Returns: an array of objects, identities, dictionaries or numbers for a fetch; the result
  ///   object for a batch or for persistent history.
  @discardableResult
  public final func execute(
    _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext
  ) throws -> Any {
    if let request = request as? AnyFetchRequest { return try context.results(of: request) }
    return try context.execute(request)
  }
}
