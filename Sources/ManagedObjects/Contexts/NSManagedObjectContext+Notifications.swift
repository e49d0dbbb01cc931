import Foundation
import Synchronization

/// The objects that were inserted.
public let NSInsertedObjectsKey = NSManagedObjectContext.NotificationKey.insertedObjects.rawValue
/// The objects that were updated.
public let NSUpdatedObjectsKey = NSManagedObjectContext.NotificationKey.updatedObjects.rawValue
/// The objects that were deleted.
public let NSDeletedObjectsKey = NSManagedObjectContext.NotificationKey.deletedObjects.rawValue
/// The objects that were refreshed.
public let NSRefreshedObjectsKey = NSManagedObjectContext.NotificationKey.refreshedObjects.rawValue
/// The objects that were invalidated.
public let NSInvalidatedObjectsKey =
  NSManagedObjectContext.NotificationKey.invalidatedObjects.rawValue
/// The object IDs of all objects, after a reset.
public let NSInvalidatedAllObjectsKey =
  NSManagedObjectContext.NotificationKey.invalidatedAllObjects.rawValue
/// The object IDs of the objects that were inserted.
public let NSInsertedObjectIDsKey =
  NSManagedObjectContext.NotificationKey.insertedObjectIDs.rawValue
/// The object IDs of the objects that were updated.
public let NSUpdatedObjectIDsKey = NSManagedObjectContext.NotificationKey.updatedObjectIDs.rawValue
/// The object IDs of the objects that were deleted.
public let NSDeletedObjectIDsKey = NSManagedObjectContext.NotificationKey.deletedObjectIDs.rawValue
/// The object IDs of the objects that were refreshed.
public let NSRefreshedObjectIDsKey =
  NSManagedObjectContext.NotificationKey.refreshedObjectIDs.rawValue
/// The object IDs of the objects that were invalidated.
public let NSInvalidatedObjectIDsKey =
  NSManagedObjectContext.NotificationKey.invalidatedObjectIDs.rawValue
/// The query generation that the context reads, after a save of a context that is pinned to one.
public let NSManagedObjectContextQueryGenerationKey =
  NSManagedObjectContext.NotificationKey.queryGeneration.rawValue

extension NSNotification.Name {
  /// Posted by a context before it saves.
  public static let NSManagedObjectContextWillSave = NSNotification.Name(
    "NSManagingContextWillSaveChangesNotification")
  /// Posted by a context after it saved, with sets of objects.
  public static let NSManagedObjectContextDidSave = NSNotification.Name(
    "NSManagingContextDidSaveChangesNotification")
  /// Posted by a context when objects changed, with sets of objects.
  public static let NSManagedObjectContextObjectsDidChange = NSNotification.Name(
    "NSObjectsChangedInManagingContextNotification")
  /// Posted by a context after it saved, with sets of object IDs.
  ///
  /// Contexts start posting it once a program has read this name, as it must to observe the notification: creating
  /// the IDs of everything saved takes longer than writing some of it. Only an observer of all notifications can
  /// notice the difference.
  public static var NSManagedObjectContextDidSaveObjectIDs: NSNotification.Name {
    SavedIdentities.isAwaited.store(true, ordering: .relaxed)
    return SavedIdentities.name
  }
  /// Posted by a context after it merged another context's changes, with sets of object IDs.
  public static let NSManagedObjectContextDidMergeChangesObjectIDs = NSNotification.Name(
    "NSManagedObjectContextDidMergeChangesObjectIDsNotification")
}

extension NSManagedObjectContext {
  /// The history token in the notification of a save. Core Data uses this key without declaring it; programs that
  /// read it spell it out.
  static let changeTokenKey = "newChangeToken"

  /// Posted by a context before it saves.
  public static let willSaveObjectsNotification = Notification.Name.NSManagedObjectContextWillSave
  /// Posted by a context after it saved, with sets of objects.
  public static let didSaveObjectsNotification = Notification.Name.NSManagedObjectContextDidSave
  /// Posted by a context when objects changed, with sets of objects.
  public static let didChangeObjectsNotification =
    Notification.Name.NSManagedObjectContextObjectsDidChange
  /// Posted by a context after it saved, with sets of object IDs.
  ///
  /// See `NSNotification.Name.NSManagedObjectContextDidSaveObjectIDs` for when it is posted.
  public static var didSaveObjectIDsNotification: Notification.Name {
    .NSManagedObjectContextDidSaveObjectIDs
  }
  /// Posted by a context after it merged another context's changes, with sets of object IDs.
  public static let didMergeChangesObjectIDsNotification =
    Notification.Name.NSManagedObjectContextDidMergeChangesObjectIDs
}

/// The notification that lists saved objects by ID.
enum SavedIdentities {
  static let name = NSNotification.Name("NSManagedObjectContextDidSaveObjectIDsNotification")
  /// Whether the program has ever read the name.
  static let isAwaited = Atomic<Bool>(false)
}
