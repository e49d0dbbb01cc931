#if !canImport(CloudKit)
  import Foundation
  import MomKit

  /// A container whose stores go through iCloud on Apple's systems. Here nobody is signed in there: it is used as any
  /// other container, and its objects stay in its stores.
  open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {
    // Sendable: it has nothing beyond what its superclass has.

    /// Would tell that an event began or ended; there are none.
    public static let eventChangedNotification = Notification.Name(
      "NSPersistentCloudKitContainerEventChangedNotification")
    /// The key of a notification's event.
    public static let eventNotificationUserInfoKey = "event"

    /// Would make the records' types.
    ///
    /// - Throws: Always, with code 134400 of Core Data's: there is no account.
    open func initializeCloudKitSchema(
      options: NSPersistentCloudKitContainerSchemaInitializationOptions = []
    ) throws {
      throw NSError(
        domain: NSCocoaErrorDomain, code: 134400,
        userInfo: [
          NSLocalizedFailureReasonErrorKey: "Unable to initialize without an iCloud account."
        ])
    }

    /// Whether an object may be changed: always, as one that is nobody else's.
    open func canUpdateRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool { true }
    /// Whether an object may be deleted: always.
    open func canDeleteRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool { true }
    /// Whether objects of a store may be changed: unless it is only read.
    open func canModifyManagedObjects(in store: NSPersistentStore) -> Bool { !store.isReadOnly }

    /// What a container does with iCloud. There are none here.
    public final class Event: NSObject, @unchecked Sendable {
      // Sendable: nobody can make one.

      /// What an event is about.
      public enum EventType: Int, Sendable {
        /// Preparing a store.
        case setup
        /// Taking in what others changed.
        case `import`
        /// Telling what was changed.
        case export
      }

      /// Which event it is.
      public let identifier: UUID
      /// The identifier of its store.
      public let storeIdentifier: String
      /// What it is about.
      public let type: EventType
      /// When it began.
      public let startDate: Date
      /// When it ended, if it has.
      public let endDate: Date?
      /// Whether it ended well.
      public let succeeded: Bool
      /// What went wrong.
      public let error: (any Error)?

      @available(*, unavailable) override init() { preconditionFailure("there are no events") }
    }
  }

  /// How a schema is made.
  public struct NSPersistentCloudKitContainerSchemaInitializationOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Options of these bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Records are made, and not sent.
    public static let dryRun = Self(rawValue: 1 << 1)
    /// The schema is logged.
    public static let printSchema = Self(rawValue: 1 << 2)
  }

  /// Which part of iCloud a store would go through.
  open class NSPersistentCloudKitContainerOptions: NSObject, @unchecked Sendable {
    // Sendable: it doesn't change.

    /// The identifier of the application's container there.
    public let containerIdentifier: String

    /// Options with the identifier of a container.
    public init(containerIdentifier: String) { self.containerIdentifier = containerIdentifier }
  }

  extension NSPersistentStoreDescription {
    private static let cloudKitOptionsKey = "NSPersistentCloudKitContainerOptionsKey"

    /// Which part of iCloud the store would go through: kept, and nothing more.
    public var cloudKitContainerOptions: NSPersistentCloudKitContainerOptions? {
      get { options[Self.cloudKitOptionsKey] as? NSPersistentCloudKitContainerOptions }
      set { setOption(newValue, forKey: Self.cloudKitOptionsKey) }
    }
  }
#endif
