/// How a context is used.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable, CaseIterable {
  /// By one thread that the program chooses; the oldest form, without a queue of its own.
  case confinementConcurrencyType = 0
  /// On a private queue of its own, through `perform`.
  case privateQueueConcurrencyType = 1
  /// On the main queue.
  case mainQueueConcurrencyType = 2
}

extension NSManagedObjectContext {
  /// How a context is used, under the newer names.
  public struct ConcurrencyType: RawRepresentable, Hashable, Sendable {
    /// The same under its older name.
    public let rawValue: NSManagedObjectContextConcurrencyType

    /// Makes the type that has this older name.
    public init(rawValue: NSManagedObjectContextConcurrencyType) { self.rawValue = rawValue }

    /// On the main queue.
    public static let mainQueue = ConcurrencyType(rawValue: .mainQueueConcurrencyType)
    /// On a private queue.
    public static let privateQueue = ConcurrencyType(rawValue: .privateQueueConcurrencyType)
  }

  /// When `perform` runs its block.
  public enum ScheduledTaskType: Sendable {
    /// At once, if the caller is on the context's queue already.
    case immediate
    /// After everything that waits there already.
    case enqueued
  }

  /// The keys of the notifications' `userInfo`.
  public enum NotificationKey: String, Sendable {
    /// The objects that were inserted.
    case insertedObjects = "inserted"
    /// The objects that were updated.
    case updatedObjects = "updated"
    /// The objects that were deleted.
    case deletedObjects = "deleted"
    /// The objects that were refreshed.
    case refreshedObjects = "refreshed"
    /// The objects that were invalidated.
    case invalidatedObjects = "invalidated"
    /// The identities of all objects, after a reset.
    case invalidatedAllObjects = "invalidatedAll"
    /// The identities of the objects that were inserted.
    case insertedObjectIDs = "inserted_objectIDs"
    /// The identities of the objects that were updated.
    case updatedObjectIDs = "updated_objectIDs"
    /// The identities of the objects that were deleted.
    case deletedObjectIDs = "deleted_objectIDs"
    /// The identities of the objects that were refreshed.
    case refreshedObjectIDs = "refreshed_objectIDs"
    /// The identities of the objects that were invalidated.
    case invalidatedObjectIDs = "invalidated_objectIDs"
    /// The state of the stores that the context reads.
    case queryGeneration = "queryGeneration"
  }
}
