/// A fetched results controller of any result type.
///
/// A delegate receives its controller with another result type, as another object. `===` says whether they are the same:
///
/// ```swift
/// func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
///   if controller === notes { showNotes() } else if controller === folders { showFolders() }
/// }
/// ```
public protocol AnyFetchedResultsController: AnyObject {}

/// Whether two controllers are the same, whatever their result types.
public func === (
  left: (any AnyFetchedResultsController)?, right: (any AnyFetchedResultsController)?
) -> Bool {
  (left as? any FetchedResultsOwner)?.results === (right as? any FetchedResultsOwner)?.results
}

/// Whether two controllers aren't the same, whatever their result types.
public func !== (
  left: (any AnyFetchedResultsController)?, right: (any AnyFetchedResultsController)?
) -> Bool {
  !(left === right)
}

/// What controllers of all result types have.
protocol FetchedResultsOwner: AnyFetchedResultsController {
  var results: FetchedResults { get }
}

extension NSFetchedResultsController: FetchedResultsOwner, AnyFetchedResultsController {}
