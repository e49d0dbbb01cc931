#if !canImport(CloudKit)
  import Foundation
  import MomKit

  /// A container whose stores are mirrored to iCloud on Apple's systems. Here it behaves as if no user were signed in:
  /// it can be used like any other container, and its objects stay in its stores.
  ///
  /// Mirroring relies on persistent history, so on Apple's systems the store that a container describes by default
  /// records one without being asked to. It does here, too; a program that doesn't want it sets
  /// `NSPersistentHistoryTrackingKey` to false, or describes its own stores.
  open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {
    // Sendable: it has no state beyond its superclass's.

    /// Creates a container whose store records its history.
    public override init(name: String, managedObjectModel model: NSManagedObjectModel) {
      super.init(name: name, managedObjectModel: model)
      for description in persistentStoreDescriptions {
        description.setOption(NSNumber(value: true), forKey: NSPersistentHistoryTrackingKey)
      }
    }

    /// The notification for the start and end of events; never posted.
    public static let eventChangedNotification = Notification.Name(
      "NSPersistentCloudKitContainerEventChangedNotification")
    /// The key of a notification's event.
    public static let eventNotificationUserInfoKey = "event"

    /// Would create the record types.
    ///
    /// - Throws: Always, with Core Data's error code 134400, because there is no account.
    open func initializeCloudKitSchema(
      options: NSPersistentCloudKitContainerSchemaInitializationOptions = []
    ) throws {
      throw NSError(
        domain: NSCocoaErrorDomain, code: 134400,
        userInfo: [
          NSLocalizedFailureReasonErrorKey: "Unable to initialize without an iCloud account."
        ])
    }

    /// Whether an object may be changed: always true, since no objects are shared.
    open func canUpdateRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool { true }
    /// Whether an object may be deleted: always true.
    open func canDeleteRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool { true }
    /// Whether objects of a store may be changed: true unless the store is read-only.
    open func canModifyManagedObjects(in store: NSPersistentStore) -> Bool { !store.isReadOnly }

    /// An activity of a container involving iCloud. None occur here.
    public final class Event: NSObject, @unchecked Sendable {
      // Sendable: it can't be instantiated.

      /// The type of an event.
      public enum EventType: Int, Sendable {
        /// Preparing a store.
        case setup
        /// Importing changes made elsewhere.
        case `import`
        /// Exporting local changes.
        case export
      }

      /// The event's identifier.
      public let identifier: UUID
      /// The identifier of its store.
      public let storeIdentifier: String
      /// The event's type.
      public let type: EventType
      /// When the event began.
      public let startDate: Date
      /// When it ended, if it has.
      public let endDate: Date?
      /// Whether the event succeeded.
      public let succeeded: Bool
      /// The error, if the event failed.
      public let error: (any Error)?

      @available(*, unavailable) override init() { preconditionFailure("there are no events") }
    }
  }

  /// Options for creating a schema.
  public struct NSPersistentCloudKitContainerSchemaInitializationOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Creates options from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Records are created, but not sent.
    public static let dryRun = Self(rawValue: 1 << 1)
    /// The schema is logged.
    public static let printSchema = Self(rawValue: 1 << 2)
  }

  /// The iCloud container that a store would be mirrored to.
  open class NSPersistentCloudKitContainerOptions: NSObject, @unchecked Sendable {
    // Sendable: set up before a container loads its stores, and not used by any.

    /// The identifier of the application's iCloud container.
    public let containerIdentifier: String
    /// The database of the container. Has no effect.
    open var databaseScope = DatabaseScope.private

    /// The databases of an iCloud container, which CloudKit calls `CKDatabase.Scope`.
    public enum DatabaseScope: Int, Sendable {
      /// Records that everybody can read.
      case `public` = 1
      /// The user's own records.
      case `private`
      /// Records that others share with the user.
      case shared
    }

    /// Creates options from a container's identifier.
    public init(containerIdentifier: String) { self.containerIdentifier = containerIdentifier }
  }

  extension NSPersistentStoreDescription {
    private static let cloudKitOptionsKey = "NSPersistentCloudKitContainerOptionsKey"

    /// The iCloud container that the store would be mirrored to. Stored without any effect.
    public var cloudKitContainerOptions: NSPersistentCloudKitContainerOptions? {
      get { options[Self.cloudKitOptionsKey] as? NSPersistentCloudKitContainerOptions }
      set { setOption(newValue, forKey: Self.cloudKitOptionsKey) }
    }
  }
#endif
