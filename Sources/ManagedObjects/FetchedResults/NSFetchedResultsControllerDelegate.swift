import DataModels
import Foundation

/// Who is told when the results of a controller change.
///
/// Every method may be left out. Without the Objective-C runtime a delegate can't be asked which
/// methods it has, so each has a default here that does nothing.
///
/// A delegate that has `controller(_:didChangeContentWith:)` is told by it alone, as in Core Data. With a
/// difference it works for controllers without sections; with a snapshot, which comes before it, for all.
public protocol NSFetchedResultsControllerDelegate: AnyObject {
  /// Called before the first of the changes of an event; the controller still has the old contents.
  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>)

  /// Called for each section that came or went.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType)

  /// Called for each object that came, went, moved or changed.
  ///
  /// - Parameters:
  ///   - controller: the controller that tells.
  ///   - anObject: the object.
  ///   - indexPath: where it was in the old contents; nil for an object that came.
  ///   - type: what became of it.
  ///   - newIndexPath: where it is in the new contents; nil for one that went.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)

  /// Called after the last of the changes of an event.
  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>)

  /// Called with what there is after each event, and after `performFetch()`.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: FetchedResultsSnapshot)

  /// Called with all changes of an event. An object that changed in its place is removed and
  /// inserted, each associated with the other.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)

  /// The title of a section in an index; the first letter of its name, capitalised, by default.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String?
}

extension NSFetchedResultsControllerDelegate {
  /// Does nothing.
  public func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {}

  /// Does nothing.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {}

  /// Does nothing.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {}

  /// Does nothing.
  public func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {}

  /// Has the controller call the other methods.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {
    controller.results.delegateTakesSnapshots = false
  }

  /// Has the controller call the other methods.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) {
    controller.results.delegateTakesDifferences = false
  }

  /// The first letter, capitalised.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    FetchedResults.indexTitle(of: sectionName)
  }
}

/// What became of an object or a section of a fetched results controller.
public enum NSFetchedResultsChangeType: UInt, Sendable, CaseIterable {
  /// It came.
  case insert = 1
  /// It went.
  case delete = 2
  /// It is in another place now; an object may have changed as well.
  case move = 3
  /// An object changed in its place.
  case update = 4
}
