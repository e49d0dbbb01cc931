import Foundation

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
  public static let NSManagedObjectContextDidSaveObjectIDs = NSNotification.Name(
    "NSManagedObjectContextDidSaveObjectIDsNotification")
  /// Posted by a context after it took another's changes in, with sets of identities.
  public static let NSManagedObjectContextDidMergeChangesObjectIDs = NSNotification.Name(
    "NSManagedObjectContextDidMergeChangesObjectIDsNotification")
}

extension NSManagedObjectContext {
  /// Posted by a context before it saves.
  public static let willSaveObjectsNotification = Notification.Name.NSManagedObjectContextWillSave
  /// Posted by a context after it saved, with sets of objects.
  public static let didSaveObjectsNotification = Notification.Name.NSManagedObjectContextDidSave
  /// Posted by a context when objects changed, with sets of objects.
  public static let didChangeObjectsNotification =
    Notification.Name.NSManagedObjectContextObjectsDidChange
  /// Posted by a context after it saved, with sets of identities.
  public static let didSaveObjectIDsNotification =
    Notification.Name.NSManagedObjectContextDidSaveObjectIDs
  /// Posted by a context after it took another's changes in, with sets of identities.
  public static let didMergeChangesObjectIDsNotification =
    Notification.Name.NSManagedObjectContextDidMergeChangesObjectIDs
}

/// A notification's set of objects: made from a list without hashing anything until somebody asks.
final class ListSet: NSSet {
  private let members: [NSObject]
  /// Whether the set is of the members' identities, rather than of the members.
  private let isOfIdentities: Bool
  private var madeIdentities: [NSObject]?
  private var hashed: Set<NSObject>?

  /// Takes objects that are known to be different.
  init(unique list: [some NSObject]) {
    // An array of a class is one of the class above it; Swift would cast every member.
    members = unsafeBitCast(list, to: [NSObject].self)
    isOfIdentities = false
    super.init(objects: nil, count: 0)
  }

  /// The identities of objects that are known to be different.
  init(identitiesOf objects: [NSManagedObject]) {
    members = unsafeBitCast(objects, to: [NSObject].self)
    isOfIdentities = true
    super.init(objects: nil, count: 0)
  }

  private var list: [NSObject] {
    guard isOfIdentities else { return members }
    if let madeIdentities { return madeIdentities }
    let made = members.compactMap { ($0 as? NSManagedObject)?.objectID }
    madeIdentities = made
    return made
  }

  required init?(coder: NSCoder) { nil }
  override init(objects: UnsafePointer<AnyObject>?, count: Int) {
    members = (0..<count).compactMap { objects?[$0] as? NSObject }
    isOfIdentities = false
    super.init(objects: nil, count: 0)
  }

  override var count: Int { members.count }

  override func member(_ object: Any) -> Any? {
    guard let object = object as? NSObject else { return nil }
    let set = hashed ?? Set(list)
    hashed = set
    return set.firstIndex(of: object).map { set[$0] }
  }

  override func objectEnumerator() -> NSEnumerator { NSArray(array: list).objectEnumerator() }
  override func copy(with zone: NSZone? = nil) -> Any { self }
}
