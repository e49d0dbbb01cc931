import DataModels
import Foundation

/// What an ``NSAsynchronousFetchRequest`` will have found when it is done.
open class NSAsynchronousFetchResult<ResultType>: NSPersistentStoreAsynchronousResult,
  @unchecked Sendable
{
  /// The request.
  public final let fetchRequest: NSAsynchronousFetchRequest<ResultType>
  /// What was found; nil until the request is done, and after an error.
  public internal(set) final var finalResult: [ResultType]?

  init(_ request: NSAsynchronousFetchRequest<ResultType>, _ context: NSManagedObjectContext) {
    fetchRequest = request
    super.init(context, expected: request.estimatedResultCount)
  }
}
