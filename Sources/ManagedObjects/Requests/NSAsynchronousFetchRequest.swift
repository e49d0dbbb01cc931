import DataModels
import Foundation

/// A fetch that runs asynchronously.
///
/// ```swift
/// let request = NSAsynchronousFetchRequest(fetchRequest: people) { result in
///   print(result.finalResult?.count ?? 0)
/// }
/// try context.execute(request)
/// ```
///
/// The fetch runs, and the block is called, on the context's queue. A context without a queue can't execute it.
open class NSAsynchronousFetchRequest<ResultType>: NSPersistentStoreRequest, ExecutableRequest,
  @unchecked Sendable
{
  /// The fetch request.
  public final let fetchRequest: NSFetchRequest<ResultType>
  /// Called when the request has completed.
  public final let completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?
  /// The expected number of results, for progress reporting. 0 in a new request.
  open var estimatedResultCount = 0

  /// Creates a request.
  public init(
    fetchRequest request: NSFetchRequest<ResultType>,
    completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
  ) {
    fetchRequest = request
    completionBlock = blk
  }

  /// Always `NSPersistentStoreRequestType.fetchRequestType`.
  open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

  /// Returns a copy of the request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSAsynchronousFetchRequest(
      fetchRequest: fetchRequest, completionBlock: completionBlock)
    copy.estimatedResultCount = estimatedResultCount
    copy.affectedStoreObjects = affectedStoreObjects
    return copy
  }

  package func execute(
    in context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> NSPersistentStoreResult {
    guard context.concurrencyType != .confinementConcurrencyType else {
      throw CoreDataError.make(
        NSPersistentStoreUnsupportedRequestTypeError,
        "An asynchronous fetch needs a context with a queue.")
    }
    let result = NSAsynchronousFetchResult(self, context)
    context.perform { [self] in
      do {
        if result.progress?.isCancelled == true { throw CocoaError(.userCancelled) }
        result.finalResult = try context.fetch(fetchRequest)
        result.progress?.completedUnitCount = result.progress?.totalUnitCount ?? 1
      } catch {
        result.operationError = error
      }
      completionBlock?(result)
    }
    return result
  }
}

/// The type of an asynchronous fetch's completion block.
public typealias NSPersistentStoreAsynchronousFetchResultCompletionBlock =
  (NSAsynchronousFetchResult<any NSFetchRequestResult>) -> Void

/// A fetch request given to ``NSManagedObjectContext/execute(_:)`` is carried out at once. As in Core Data, its result
/// is that of an asynchronous one.
extension NSFetchRequest: ExecutableRequest {
  package func execute(
    in context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> NSPersistentStoreResult {
    let result = NSAsynchronousFetchResult(NSAsynchronousFetchRequest(fetchRequest: self), context)
    let values = try context.results(of: self)
    result.outcome.values = { values }
    result.progress?.completedUnitCount = result.progress?.totalUnitCount ?? 1
    return result
  }
}
