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
/// The identities of all objects, after a reset.
public let NSInvalidatedAllObjectsKey =
  NSManagedObjectContext.NotificationKey.invalidatedAllObjects.rawValue
/// The identities of the objects that were inserted.
public let NSInsertedObjectIDsKey =
  NSManagedObjectContext.NotificationKey.insertedObjectIDs.rawValue
/// The identities of the objects that were updated.
public let NSUpdatedObjectIDsKey = NSManagedObjectContext.NotificationKey.updatedObjectIDs.rawValue
/// The identities of the objects that were deleted.
public let NSDeletedObjectIDsKey = NSManagedObjectContext.NotificationKey.deletedObjectIDs.rawValue
/// The identities of the objects that were refreshed.
public let NSRefreshedObjectIDsKey =
  NSManagedObjectContext.NotificationKey.refreshedObjectIDs.rawValue
/// The identities of the objects that were invalidated.
public let NSInvalidatedObjectIDsKey =
  NSManagedObjectContext.NotificationKey.invalidatedObjectIDs.rawValue
/// The state of the stores that the context reads, after a save of a context that keeps one.
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
  /// Posted by a context after it saved, with sets of identities.
  ///
  /// Contexts begin to post it when a program asks for this name, as it must before it listens: to make
  /// the identities of all that was saved takes longer than to write some of it. Only an observer of
  /// every name there is may notice.
  public static var NSManagedObjectContextDidSaveObjectIDs: NSNotification.Name {
    SavedIdentities.isAwaited.store(true, ordering: .relaxed)
    return SavedIdentities.name
  }
  /// Posted by a context after it took another's changes in, with sets of identities.
  public static let NSManagedObjectContextDidMergeChangesObjectIDs = NSNotification.Name(
    "NSManagedObjectContextDidMergeChangesObjectIDsNotification")
}

extension NSManagedObjectContext {
  /// The history token after a save, in the notification of it. Core Data has the key without declaring it;
  /// programs that read it spell it out.
  static let changeTokenKey = "newChangeToken"

  /// Posted by a context before it saves.
  public static let willSaveObjectsNotification = Notification.Name.NSManagedObjectContextWillSave
  /// Posted by a context after it saved, with sets of objects.
  public static let didSaveObjectsNotification = Notification.Name.NSManagedObjectContextDidSave
  /// Posted by a context when objects changed, with sets of objects.
  public static let didChangeObjectsNotification =
    Notification.Name.NSManagedObjectContextObjectsDidChange
  /// Posted by a context after it saved, with sets of identities.
  ///
  /// See `NSNotification.Name.NSManagedObjectContextDidSaveObjectIDs` for when.
  public static var didSaveObjectIDsNotification: Notification.Name {
    .NSManagedObjectContextDidSaveObjectIDs
  }
  /// Posted by a context after it took another's changes in, with sets of identities.
  public static let didMergeChangesObjectIDsNotification =
    Notification.Name.NSManagedObjectContextDidMergeChangesObjectIDs
}

/// The notification of what was saved, by its identities.
enum SavedIdentities {
  static let name = NSNotification.Name("NSManagedObjectContextDidSaveObjectIDsNotification")
  /// Whether the program has ever asked for the name.
  static let isAwaited = Atomic<Bool>(false)
}
