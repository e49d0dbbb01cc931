import DataModels
import Foundation

/// A delegate that is notified when the results of a fetched results controller change.
///
/// ```swift
/// final class PeopleList: NSFetchedResultsControllerDelegate {
///   func controllerDidChangeContent(
///     _ controller: NSFetchedResultsController<any NSFetchRequestResult>
///   ) {
///     print(controller.fetchedObjects?.count ?? 0)
///   }
/// }
/// ```
///
/// All methods are optional. Without the Objective-C runtime a controller can't check which methods a delegate
/// implements, so each one has a default implementation that does nothing.
///
/// For a delegate that implements `controller(_:didChangeContentWith:)`, only that method is called, as in Core Data.
/// The variant with a difference is used for controllers without sections; the variant with a snapshot, which takes
/// precedence, for all controllers.
public protocol NSFetchedResultsControllerDelegate: AnyObject {
  /// Called before the first change of an event; the controller still has the old contents.
  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>)

  /// Called for each section that was inserted or deleted.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType)

  /// Called for each object that was inserted, deleted, moved or updated.
  ///
  /// - Parameters:
  ///   - controller: the controller.
  ///   - anObject: the object.
  ///   - indexPath: the index path in the old contents; nil for an inserted object.
  ///   - type: the kind of change.
  ///   - newIndexPath: the index path in the new contents; nil for a deleted object.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)

  /// Called after the last change of an event.
  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>)

  /// Called with a snapshot of the contents after each event, and after `performFetch()`.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: FetchedResultsSnapshot)

  /// Called with all changes of an event. An object that was updated in place is a removal and an insertion that are
  /// associated with each other.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)

  /// The title of a section in an index; by default the first letter of its name, capitalized.
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

  /// Makes the controller call the other methods instead.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {
    controller.results.delegateTakesSnapshots = false
  }

  /// Makes the controller call the other methods instead.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) {
    controller.results.delegateTakesDifferences = false
  }

  /// The first letter, capitalized.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    FetchedResults.indexTitle(of: sectionName)
  }
}

/// The kind of change of an object or a section of a fetched results controller.
public enum NSFetchedResultsChangeType: UInt, Sendable, CaseIterable {
  /// Inserted.
  case insert = 1
  /// Deleted.
  case delete = 2
  /// Moved; an object may have been updated as well.
  case move = 3
  /// Updated in place.
  case update = 4
}
