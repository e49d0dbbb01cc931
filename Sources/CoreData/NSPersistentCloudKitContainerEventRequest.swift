#if !canImport(CloudKit)
  import Foundation
  import ManagedObjects
  import MomKit

  /// A request for a container's events. There are none here.
  ///
  /// ```swift
  /// let request = NSPersistentCloudKitContainerEventRequest.fetchEvents(after: .distantPast)
  /// let result = try context.execute(request) as? NSPersistentCloudKitContainerEventResult
  /// let events = result?.result as? [NSPersistentCloudKitContainer.Event] ?? []
  /// ```
  open class NSPersistentCloudKitContainerEventRequest: NSPersistentStoreRequest, ExecutableRequest,
    @unchecked Sendable
  {
    // Sendable: used in one place at a time, as Core Data requires of requests.

    /// The content of the result. The events in a new request.
    open var resultType = NSPersistentCloudKitContainerEventResult.ResultType.events

    /// Creates a request for all events.
    public required override init() {}

    /// A request for the events after a date.
    open class func fetchEvents(after date: Date) -> Self { Self() }

    /// A request for the events after another; nil for all events.
    open class func fetchEvents(after event: NSPersistentCloudKitContainer.Event?) -> Self {
      Self()
    }

    /// A request for the events that match a fetch request, which is based on ``fetchForEvents()``.
    open class func fetchEvents(
      matchingFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>
    ) -> Self {
      Self()
    }

    /// A fetch request for all events, to add a predicate to.
    open class func fetchForEvents() -> NSFetchRequest<any NSFetchRequestResult> {
      NSFetchRequest(entityName: "NSCKEvent")
    }

    /// Returns a copy of the request.
    open override func copy(with zone: NSZone? = nil) -> Any {
      let copy = Self()
      copy.resultType = resultType
      copy.affectedStores = affectedStores
      return copy
    }

    package func execute(
      in context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator
    ) throws -> NSPersistentStoreResult {
      NSPersistentCloudKitContainerEventResult(resultType)
    }
  }

  /// The result of a request for events.
  open class NSPersistentCloudKitContainerEventResult: NSPersistentStoreResult, @unchecked Sendable
  {
    // Sendable: immutable.

    /// The content of a result.
    public enum ResultType: Int, Sendable {
      /// The events, as an array.
      case events
      /// The number of events, as an array of one number.
      case countEvents
    }

    /// An empty array of events, or an array with the number zero.
    open var result: Any? {
      switch resultType {
      case .events: [] as [NSPersistentCloudKitContainer.Event]
      case .countEvents: [NSNumber(value: 0)]
      }
    }
    /// The kind of content.
    public final let resultType: ResultType

    init(_ type: ResultType) { resultType = type }
  }
#endif
