import DataModels
import Foundation

/// The result of a request other than a fetch: the superclass of the results of batch requests and of persistent
/// history.
open class NSPersistentStoreResult: NSObject, @unchecked Sendable {
  // Sendable: immutable.
}

/// The eventual result of an asynchronous request.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult, @unchecked Sendable {
  // Sendable: written on the context's queue before the program is notified, and only read afterwards.

  /// The context that executes the request.
  public final let managedObjectContext: NSManagedObjectContext
  /// The request's error, once it has completed.
  public internal(set) final var operationError: (any Error)?
  /// The request's progress.
  public final let progress: Progress?

  init(_ context: NSManagedObjectContext, expected: Int) {
    managedObjectContext = context
    progress = Progress(totalUnitCount: Int64(max(1, expected)))
  }

  /// Cancels the request if it hasn't started; it then ends with an error.
  open func cancel() { progress?.cancel() }
}

/// The eventual result of an ``NSAsynchronousFetchRequest``.
open class NSAsynchronousFetchResult<ResultType>: NSPersistentStoreAsynchronousResult,
  @unchecked Sendable
{
  // Sendable: like its superclass.

  /// The request.
  public final let fetchRequest: NSAsynchronousFetchRequest<ResultType>
  /// The fetched objects; nil until the request has completed, and after an error.
  public internal(set) final var finalResult: [ResultType]?

  init(_ request: NSAsynchronousFetchRequest<ResultType>, _ context: NSManagedObjectContext) {
    fetchRequest = request
    super.init(context, expected: request.estimatedResultCount)
  }
}
