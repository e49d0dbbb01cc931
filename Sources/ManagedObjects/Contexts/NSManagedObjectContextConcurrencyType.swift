/// The concurrency type of a context.
///
/// ```swift
/// let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
/// context.persistentStoreCoordinator = container.persistentStoreCoordinator
/// try await context.perform { try context.save() }
/// ```
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable, CaseIterable {
  /// Confined to one thread chosen by the program; the oldest kind, without a queue.
  case confinementConcurrencyType = 0
  /// A private queue, used through `perform`.
  case privateQueueConcurrencyType = 1
  /// The main queue.
  case mainQueueConcurrencyType = 2
}

extension NSManagedObjectContext {
  /// The concurrency type of a context, under its newer name.
  public struct ConcurrencyType: RawRepresentable, Hashable, Sendable {
    /// The same type under its older name.
    public let rawValue: NSManagedObjectContextConcurrencyType

    /// Creates the type with this older name.
    public init(rawValue: NSManagedObjectContextConcurrencyType) { self.rawValue = rawValue }

    /// The main queue.
    public static let mainQueue = ConcurrencyType(rawValue: .mainQueueConcurrencyType)
    /// A private queue.
    public static let privateQueue = ConcurrencyType(rawValue: .privateQueueConcurrencyType)
  }

  /// Determines when `perform` runs its block.
  public enum ScheduledTaskType: Sendable {
    /// At once, if the caller is on the context's queue already.
    case immediate
    /// After all blocks that are enqueued already.
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
    /// The object IDs of all objects, after a reset.
    case invalidatedAllObjects = "invalidatedAll"
    /// The object IDs of the objects that were inserted.
    case insertedObjectIDs = "inserted_objectIDs"
    /// The object IDs of the objects that were updated.
    case updatedObjectIDs = "updated_objectIDs"
    /// The object IDs of the objects that were deleted.
    case deletedObjectIDs = "deleted_objectIDs"
    /// The object IDs of the objects that were refreshed.
    case refreshedObjectIDs = "refreshed_objectIDs"
    /// The object IDs of the objects that were invalidated.
    case invalidatedObjectIDs = "invalidated_objectIDs"
    /// The query generation that the context reads.
    case queryGeneration = "queryGeneration"
  }
}
