import DataModels
import Foundation

/// What a request gave, other than a fetch: the superclass of the results of batches and of
/// persistent history.
open class NSPersistentStoreResult: NSObject, @unchecked Sendable {
  // Sendable: never changed once it is made.
}

/// What a request will have given when it is done.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult, @unchecked Sendable {
  // Sendable: written on the context's queue, before the program is told; only read afterwards.

  /// The context that carries the request out.
  public final let managedObjectContext: NSManagedObjectContext
  /// What went wrong, once the request is done.
  public internal(set) final var operationError: (any Error)?
  /// How far the request is.
  public final let progress: Progress?

  init(_ context: NSManagedObjectContext, expected: Int) {
    managedObjectContext = context
    progress = Progress(totalUnitCount: Int64(max(1, expected)))
  }

  /// Gives the request up, if it hasn't begun; it then ends with an error.
  open func cancel() { progress?.cancel() }
}

/// What an ``NSAsynchronousFetchRequest`` will have found when it is done.
open class NSAsynchronousFetchResult<ResultType>: NSPersistentStoreAsynchronousResult,
  @unchecked Sendable
{
  // Sendable: as its superclass.

  /// The request.
  public final let fetchRequest: NSAsynchronousFetchRequest<ResultType>
  /// What was found; nil until the request is done, and after an error.
  public internal(set) final var finalResult: [ResultType]?

  init(_ request: NSAsynchronousFetchRequest<ResultType>, _ context: NSManagedObjectContext) {
    fetchRequest = request
    super.init(context, expected: request.estimatedResultCount)
  }
}
