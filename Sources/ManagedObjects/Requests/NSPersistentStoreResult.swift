import DataModels
import Foundation

/// The result of a request other than a fetch: the superclass of the results of batch requests and of persistent
/// history.
///
/// ```swift
/// let result = try context.execute(NSBatchDeleteRequest(fetchRequest: old))
/// if let deletion = result as? NSBatchDeleteResult {
///   print(deletion.result ?? "no result")
/// }
/// ```
open class NSPersistentStoreResult: NSObject, @unchecked Sendable {
  // Sendable: immutable.
}

/// What an asynchronous request has found, for its result and those converted from it.
final class AsynchronousOutcome: @unchecked Sendable {
  // Sendable: written on the context's queue before the program is notified, and only read afterwards.

  /// The values; nil until the request has completed, and after an error.
  var values: (() -> [Any])?
  var error: (any Error)?
}

/// The eventual result of an asynchronous request.
///
/// ```swift
/// let result = try context.execute(request) as? NSPersistentStoreAsynchronousResult
/// print(result?.progress?.fractionCompleted ?? 0)
/// result?.cancel()
/// ```
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult, @unchecked Sendable {
  // Sendable: immutable but for the outcome.

  /// The context that executes the request.
  public final let managedObjectContext: NSManagedObjectContext
  /// The request's progress.
  public final let progress: Progress?
  final let outcome: AsynchronousOutcome

  init(_ context: NSManagedObjectContext, expected: Int) {
    managedObjectContext = context
    progress = Progress(totalUnitCount: Int64(max(1, expected)))
    outcome = AsynchronousOutcome()
  }

  init(sharing other: NSPersistentStoreAsynchronousResult) {
    managedObjectContext = other.managedObjectContext
    progress = other.progress
    outcome = other.outcome
  }

  /// The request's error, once it has completed.
  public internal(set) final var operationError: (any Error)? {
    get { outcome.error }
    set { outcome.error = newValue }
  }

  /// Cancels the request if it hasn't started; it then ends with an error.
  open func cancel() { progress?.cancel() }
}

/// A result of a fetch, whatever its type.
private protocol FetchResult: NSPersistentStoreAsynchronousResult {
  var request: AnyFetchRequest { get }
}

/// The eventual result of an ``NSAsynchronousFetchRequest``.
///
/// ```swift
/// let request = NSAsynchronousFetchRequest(fetchRequest: people) { result in
///   if let error = result.operationError { print(error) }
///   for person in result.finalResult ?? [] { print(person.name ?? "") }
/// }
/// try context.execute(request)
/// ```
open class NSAsynchronousFetchResult<ResultType>: NSPersistentStoreAsynchronousResult,
  @unchecked Sendable
{
  // Sendable: like its superclass.

  /// The request.
  public final let fetchRequest: NSAsynchronousFetchRequest<ResultType>

  init(_ request: NSAsynchronousFetchRequest<ResultType>, _ context: NSManagedObjectContext) {
    fetchRequest = request
    super.init(context, expected: request.estimatedResultCount)
  }

  private init(
    sharing other: NSPersistentStoreAsynchronousResult, of request: NSFetchRequest<ResultType>
  ) {
    fetchRequest = NSAsynchronousFetchRequest(fetchRequest: request)
    super.init(sharing: other)
  }

  /// The fetched objects; nil until the request has completed, after an error, and if they aren't of this type.
  public internal(set) final var finalResult: [ResultType]? {
    get { outcome.values.flatMap { $0() as? [ResultType] } }
    set { outcome.values = newValue.map { values in { values } } }
  }

  /// Converts a result to this type. Returns the result itself if it has this type already, otherwise one that shares
  /// its outcome; nil if it isn't the result of a fetch.
  ///
  /// This replaces Core Data's `result as? NSAsynchronousFetchResult<Person>`, which without the Objective-C runtime
  /// succeeds for only one result type.
  public static func converted(from result: Any?) -> NSAsynchronousFetchResult<ResultType>? {
    if let result = result as? NSAsynchronousFetchResult<ResultType> { return result }
    return (result as? any FetchResult).map {
      NSAsynchronousFetchResult(sharing: $0, of: NSFetchRequest<ResultType>($0.request))
    }
  }
}

extension NSAsynchronousFetchResult: FetchResult {
  fileprivate final var request: AnyFetchRequest { fetchRequest.fetchRequest }
}
