import DataModels
import Foundation
import Synchronization

/// A workspace for managed objects: it fetches them, tracks their changes, and saves them together.
///
/// ```swift
/// let context = container.newBackgroundContext()
/// try await context.perform {
///   let person = Person(context: context)
///   person.name = "Ada"
///   try context.save()
/// }
/// ```
///
/// Use a context and its objects only on its queue: inside `perform` and `performAndWait`, and for a main queue
/// context also on the main thread and the main actor. Its parent is a coordinator, or another context, which
/// receives the changes when this one is saved.
///
/// Blocks of a main queue context that are submitted from other threads run when the main queue is serviced: in
/// `RunLoop.main.run()`, in `dispatchMain()`, or, in a program with an asynchronous `main`, between its awaits. If
/// none of these is active, ``perform(_:)`` waits and `performAndWait(_:)` on another thread doesn't return, as with
/// any main queue; the main thread itself may still use the context. A main queue context processes its changes at
/// the end of each turn.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
  // Sendable: it may be passed around, and is used on its queue alone, which Core Data's documentation demands; see
  // `Confinement` for the check.

  /// How the context is used.
  public final let concurrencyType: NSManagedObjectContextConcurrencyType
  /// A name for persistent history and for debugging.
  open var name: String?
  /// The author of the changes, for persistent history.
  open var transactionAuthor: String?
  /// Whether the context retains objects that nothing else references. False in a new context.
  open var retainsRegisteredObjects = false
  /// Whether deletions propagate to related objects in ``processPendingChanges()``, rather than in a save. True in a
  /// new context.
  open var propagatesDeletesAtEndOfEvent = true
  /// Whether an object whose row is gone is treated as deleted, with empty values, instead of trapping when it is
  /// used. True in a new context.
  open var shouldDeleteInaccessibleFaults = true
  /// The policy for conflicts with other writers: an ``NSMergePolicy``.
  open var mergePolicy: Any = NSMergePolicy.error
  /// The maximum age of a refreshed object's values, in seconds; negative for any age. Values are always read from
  /// the store.
  open var stalenessInterval: TimeInterval = -1
  /// User info for the program's own use.
  public final let userInfo = NSMutableDictionary()

  /// The undo manager; nil in a new context, which then has no undo.
  open var undoManager: UndoManager? {
    didSet { observeUndoManager() }
  }

  /// Whether an object whose row is gone is treated as deleted, with empty values. Subclasses may override this
  /// method to decide for each object.
  ///
  /// - Returns: ``shouldDeleteInaccessibleFaults`` by default. If false, using the object traps.
  open func shouldHandleInaccessibleFault(
    _ fault: NSManagedObject, for oid: NSManagedObjectID,
    triggeredByProperty property: NSPropertyDescription?
  ) -> Bool {
    shouldDeleteInaccessibleFaults
  }

  /// Whether objects are plain `NSManagedObject` instances, whatever their entities' classes, and no observer is told of
  /// them: for copies of stores, during which these are locked.
  final var makesPlainObjects = false
  final let queue: ContextQueue
  final let identityMap = IdentityMap()
  final let rows = RowAllocator(keeping: nil)
  /// The entity and the class of the object made last, and the model that keeps them alive.
  private final var lastEntity: EntityLayout?
  private final var lastClass: (type: NSManagedObject.Type, layout: EntityLayout)?
  private final var lastModel: ModelLayout?
  /// The unsaved changes and the changes of the current event.
  final let unsaved: UnsavedObjects
  /// The sets shared by the notifications of the running save; nil if none is running.
  final var savingSets: NotificationSets?
  /// Unchanged objects whose versions the next save checks.
  final var guarded: [NSManagedObject] = []
  /// The objects whose deletion by other writers was merged in the current event.
  final var mergedDeletions: [NSManagedObject] = []
  /// Objects that have left the context, and that nobody else may be able to reach any more.
  final var departed: [DepartedObject] = []
  /// Deleted objects that other writers have related to others since, which the next save propagates the deletion to.
  final var deletedMeanwhile: [NSManagedObject] = []
  /// Whether undo actions may have one side of relationships: a new object has lost a conflict, or a deleted one was written
  /// again by another writer, and they mean the object that is there instead; or a deleted one has the relationships that
  /// another writer has given it.
  final var undoLacksSides = false
  /// The stores that a save has written, until observers are told.
  final var writtenStores: [NSPersistentStore] = []
  /// The first error of a fault that fired, until a save throws it or changes are discarded.
  final var faultingError: (any Error)?
  /// The error of the last propagation of deletions, which is to be retried.
  final var unreadDeletion: (any Error)?
  /// What may be wrong in the next save.
  final var saveDoubts: SaveDoubts = []
  /// The permanent IDs of objects that obtained one before they were saved, and never were.
  final var unusedIdentities = UnusedIdentities()
  final var survivorsOfLastSweep = 0
  /// How often all objects were searched for relationships to objects that are gone: tests count what grows with them.
  final var memberSearches = 0
  final var isProcessingChanges = false
  /// The objects whose changes observers are being told of.
  final var toldChanges: ToldChanges?
  /// Whether a save is in progress and its changes aren't committed yet.
  final var isSaving = false
  /// The controllers that observe the context's changes.
  final var followers: [Follower] = []
  /// Fetches with a batch size whose batches aren't all loaded.
  final var lazyFetches: [LazyFetch] = []
  /// What the context reads of its coordinator's stores.
  final let readState = ContextReadState()
  /// Whether an undo or redo is in progress.
  final var isApplyingUndo = false
  /// Whether other writers' changes are being merged, which can't be undone here.
  final var isMerging = false
  /// Whether there are objects with temporary IDs that an ancestor may replace by permanent ones.
  final var awaitsIdentities = false
  /// The process-wide number of ID replacements when this context last checked.
  final var seenSuccessions = 0
  final var undoObserver: (any NSObjectProtocol)?

  private final var coordinator: NSPersistentStoreCoordinator?
  private final var parentContext: NSManagedObjectContext?
  final var mergesFromParent = false
  final var mergeObserver: (any NSObjectProtocol)?
  /// The saves that ``mergeObserver`` has heard of and that aren't merged yet.
  final var arrivingSaves: ArrivingSaves?

  /// Creates a context without a parent.
  public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
    concurrencyType = ct
    Confinement.setUp
    queue = ContextQueue.make(ct)
    unsaved = UnsavedObjects(noticesTurns: queue.hasTurns)
    super.init()
  }

  /// Creates a context without a parent.
  public convenience init(_ type: ConcurrencyType) {
    self.init(concurrencyType: type.rawValue)
  }

  /// Creates a context without a queue, as `NSManagedObjectContext()` does.
  @available(*, deprecated, message: "use init(concurrencyType:)")
  public static func new() -> NSManagedObjectContext {
    NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
  }

  /// Creates a context that the caller confines to one thread, as in the oldest programs.
  public override convenience init() {
    self.init(concurrencyType: .confinementConcurrencyType)
  }

  deinit {
    NotificationCenter.default.removeLater([mergeObserver, undoObserver].compactMap { $0 })
    for list in [inserted, updated, deleted] { list.visit { $0.context = nil } }
    identityMap.removeAll { $0.leaveContext() }
    forgetDeparted()
  }

  // MARK: Parents

  /// The coordinator whose stores the context uses, or its parent's coordinator.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    get { coordinator ?? parentContext?.persistentStoreCoordinator }
    set {
      precondition(
        coordinator == nil && parentContext == nil || newValue === coordinator,
        "-[NSManagedObjectContext setPersistentStoreCoordinator:]: Context already has a "
          + "coordinator;  cannot replace.")
      coordinator = newValue
      rows.kept = newValue?.modelLayout
    }
  }

  /// The context that this one saves into.
  ///
  /// Objects get the values that the parent's objects have when they are read, unsaved changes included. Transient
  /// values aren't inherited: they start with the model's defaults, as in an object read from a store. A save passes
  /// changed transient values to the parent's objects. Setting one to its default isn't a change, and leaves the
  /// parent's value as it is.
  open var parent: NSManagedObjectContext? {
    get { parentContext }
    set {
      precondition(
        coordinator == nil && parentContext == nil || newValue === parentContext,
        "-[NSManagedObjectContext setParentContext:]: Context already has a coordinator;  "
          + "cannot replace.")
      precondition(
        newValue.map { $0.concurrencyType != .confinementConcurrencyType } ?? true,
        "-[NSManagedObjectContext setParentContext:]: Parent NSManagedObjectContext must use "
          + "either NSPrivateQueueConcurrencyType or NSMainQueueConcurrencyType.")
      parentContext = newValue
      rows.kept = modelLayout
    }
  }

  /// The layouts of the model's entities; nil for a context without a coordinator.
  final var modelLayout: ModelLayout? { persistentStoreCoordinator?.modelLayout }

  /// The layout of an entity of the context's model; an equal entity is found by its name.
  final func layout(of entity: NSEntityDescription) -> EntityLayout? {
    if let lastEntity, lastEntity.entity === entity { return lastEntity }
    guard let model = modelLayout,
      let layout = model[entity] ?? entity.name.flatMap({ model[$0] })
    else { return nil }
    if lastModel !== model { use(model) }
    lastEntity = layout
    return layout
  }

  /// The class of an entity's objects in this context.
  @inline(__always)
  final func objectClass(of layout: EntityLayout) -> NSManagedObject.Type {
    makesPlainObjects ? NSManagedObject.self : layout.objectClass
  }

  private final func use(_ model: ModelLayout) {
    (lastModel, lastEntity, lastClass) = (model, nil, nil)
    rows.kept = model
  }

  /// The layout of the model's only entity that a class represents.
  @inline(__always)
  final func layout(of type: NSManagedObject.Type) -> EntityLayout? {
    if let lastClass, lastClass.type == type { return lastClass.layout }
    return findLayout(of: type)
  }

  @inline(never)
  private final func findLayout(of type: NSManagedObject.Type) -> EntityLayout? {
    ObjectClassRegistry.shared.register(type)
    guard let model = modelLayout, let layout = model.entity(of: type) else { return nil }
    if lastModel !== model { use(model) }
    lastClass = (type, layout)
    return layout
  }

  // MARK: Contents

  /// The objects inserted since the last save.
  open var insertedObjects: Set<NSManagedObject> { Set(pendingInserted) }
  /// The objects changed since the last save.
  open var updatedObjects: Set<NSManagedObject> { Set(pendingUpdated) }
  /// The objects that the next save deletes, and, until the event ends, those whose deletion by other writers was
  /// merged. For the latter there is nothing left to save.
  open var deletedObjects: Set<NSManagedObject> {
    Set(pendingDeleted + mergedDeletions.filter { $0.awaitsDeletion && $0.isOf(self) })
  }

  /// All objects registered with the context.
  open var registeredObjects: Set<NSManagedObject> {
    sweep()
    return Set(identityMap.objects)
  }

  /// Whether there are unsaved changes.
  open var hasChanges: Bool {
    inserted.contains(where: \.awaitsInsertion) || updated.contains(where: \.awaitsUpdate)
      || deleted.contains { $0.awaitsDeletion && !$0.state.contains(.inserted) }
  }

  final var pendingInserted: [NSManagedObject] { inserted.keeping { $0.awaitsInsertion } }
  final var pendingUpdated: [NSManagedObject] { updated.keeping { $0.awaitsUpdate } }
  final var pendingDeleted: [NSManagedObject] {
    deleted.filter { $0.awaitsDeletion && !$0.state.contains(.inserted) }
  }

  // MARK: Overridable methods

  /// Runs `block` on the context's queue asynchronously. Changes are processed when it ends.
  ///
  /// As in Core Data, the block needn't be `@Sendable`; it is run once.
  open func perform(_ block: @escaping () -> Void) { enqueue(block) }

  /// Runs `block` on the context's queue and waits for it, like the generic method of this name. This one has the
  /// type `(() -> Void) -> Void` when it is passed as a value.
  open func performAndWait(_ block: () -> Void) { runAndWait(block) }

  /// Saves all unsaved changes in one transaction, or none of them.
  ///
  /// With a parent context, the parent receives the changes, and they reach the store when the parent is saved.
  ///
  /// A save without changes posts that it begins and ends, with no objects, as Core Data's does, and lets stores
  /// write what they have to write besides objects. Changes made by observers of the first notification are saved. A
  /// save without changes in an observer of this context's own save posts nothing: programs tend to save whatever
  /// context they are notified of.
  ///
  /// `didSave` and the observers of the save notification may change the context and save it again: the changes of
  /// the first save are committed by then.
  ///
  /// A failed read of a property, or a failed refresh, can't be reported at once. The next save with changes throws
  /// its error once, because the program may have taken what it got for the stored value. The save after that
  /// proceeds, unless an object that couldn't be read has changes; then only a rollback or a reset helps. Errors
  /// while merging other contexts' saves, or while fetched results controllers follow them, aren't thrown: an object
  /// that isn't refreshed causes a conflict when it is saved, and a controller catches up with the next event.
  ///
  /// After an error the context is as it was, except that new objects may have permanent IDs and that conflicts
  /// already resolved by a merge policy stay resolved. After ``NSPersistentStoreIncompleteSaveError`` some stores
  /// were saved, and only the rest is unsaved.
  ///
  /// - Throws:
  ///   - the objects' validation errors (``NSValidationMultipleErrorsError`` for more than one);
  ///   - ``NSManagedObjectMergeError`` and ``NSManagedObjectConstraintMergeError`` for conflicts that the merge
  ///     policy doesn't resolve;
  ///   - ``NSManagedObjectValidationError`` for a relationship that was set to an object which is deleted or was
  ///     never saved;
  ///   - ``NSManagedObjectExternalRelationshipError`` for a relationship into another store;
  ///   - error 132001 if the context is being saved or deletions are being propagated: in `willSave`, in validation,
  ///     and in observers of what is posted before the changes are committed;
  ///   - errors of the store, including those of failed reads described above.
  open func save() throws { try saveChanges() }

  /// Ends an event: propagates deletions to related objects, and posts the changes.
  ///
  /// Changes made by an observer of the notification belong to a new event. A main queue context ends an event
  /// automatically at the end of each turn of the main queue; every context does at the end of a block of
  /// ``perform(_:)``, and in a save and an undo.
  open func processPendingChanges() { settlePendingChanges() }

  /// The object with an ID, if it is registered with the context.
  open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
    registered(objectID)
  }

  /// The object with an ID: the registered one, or a new fault. The store isn't accessed.
  open func object(with objectID: NSManagedObjectID) -> NSManagedObject { knownOrFault(objectID) }

  /// The object with an ID, with its values, read from the store if necessary.
  ///
  /// - Throws: ``NSManagedObjectReferentialIntegrityError`` if there is no such row; errors of the store.
  open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
    try knownOrFetched(objectID)
  }

  /// The results of a request whose result type isn't known. Typed fetches of a subclass call this method, so that
  /// a subclass can override it for all of them.
  ///
  /// - Throws: an `NSError` with a Core Data code if the store fails.
  open func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
    try results(of: request)
  }

  /// The number of objects that match a request whose result type isn't known. Typed counts of a subclass call this
  /// method.
  open func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
    try fetchCount(request)
  }

  /// Executes a batch request or a persistent history request.
  ///
  /// ```swift
  /// let request = NSBatchUpdateRequest(entityName: "Person")
  /// request.propertiesToUpdate = ["isActive": false]
  /// request.resultType = .updatedObjectsCountResultType
  /// let result = try context.execute(request) as? NSBatchUpdateResult
  /// print(result?.result as? Int ?? 0)
  /// ```
  ///
  /// The request ignores the context's unsaved changes and doesn't update its objects: merge the result with
  /// ``mergeChanges(fromRemoteContextSave:into:)``.
  ///
  /// - Throws: ``NSPersistentStoreUnsupportedRequestTypeError`` for a request that a store doesn't support; errors of
  ///   the store. After an error nothing was changed in the store that has refused it.
  @discardableResult
  open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
    try carryOut(request)
  }

  /// Assigns a new object to a store. Without an assignment it goes to the first store that accepts its entity.
  ///
  /// A store whose configuration lacks the object's entity is a programmer error and traps, as does another store for
  /// an object that was saved.
  open func assign(_ object: Any, to store: NSPersistentStore) { place(object, in: store) }

  /// Inserts an object that was made without a context, or that was deleted but not yet saved.
  ///
  /// Its entity must be the context's: the save of an object of another instance of the model throws
  /// ``NSPersistentStoreIncompatibleSchemaError``.
  open func insert(_ object: NSManagedObject) { performInsert(object) }

  /// Marks an object for deletion by the next save. Its relationships' delete rules are applied when changes are
  /// processed.
  open func delete(_ object: NSManagedObject) { performDelete(object) }

  /// Discards all unsaved changes, without accessing the store.
  ///
  /// Posts the changes at once: objects that were new as deleted, restored ones as inserted, and all others as
  /// refreshed, since they no longer have changes. (Core Data posts too, but which sets it uses isn't documented.)
  open func rollback() { performRollback() }

  /// Forgets all objects and all unsaved changes. Objects that are still referenced become faults that read as empty.
  ///
  /// Fetched results controllers with a delegate fetch again.
  open func reset() { performReset() }

  /// Makes the next save check that an unchanged object's row hasn't changed since it was read.
  open func detectConflicts(for object: NSManagedObject) { guardVersion(of: object) }

  /// Assigns permanent IDs to objects that were never saved.
  ///
  /// An object that was saved into a parent context gets its ID from the ancestor that writes to the store, whether
  /// or not that ancestor was saved.
  ///
  /// - Throws: errors of the store when it reserves keys.
  open func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
    try assignPermanentIDs(to: objects)
  }

  /// Refreshes an object from the store.
  ///
  /// An object without changes becomes a fault and loses its transient values, whatever `flag` is. An object that was
  /// never saved has no stored values to return to: with `flag` it stays as it is; without, it becomes a fault whose
  /// insertion is cancelled, which no save writes and which reads as empty and deleted. The same holds for an object
  /// whose row other writers have deleted.
  ///
  /// Discarding an object's changes doesn't discard those of the objects it was related to: a new member still leads
  /// to its owner. The next save completes such relationships, where Core Data may store one side.
  ///
  /// - Parameters:
  ///   - object: an object of the context.
  ///   - flag: whether unsaved changes are kept and reapplied to the store's values and destinations; if false, the
  ///     object becomes a fault.
  open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
    performRefresh(object, mergeChanges: flag)
  }

  /// Refreshes every object, keeping unsaved changes.
  open func refreshAllObjects() { performRefreshAll() }

  /// Merges the changes of another context's save.
  ///
  /// Updated objects are refreshed: unsaved changes are kept and reapplied to the store's values and destinations.
  /// Deleted objects are treated as deleted here too, are among the ``deletedObjects`` until the event ends (with
  /// ``processPendingChanges()``, a save, or the block of ``perform(_:)``), and are removed from relationships; the
  /// delete rules are applied to unsaved references to them. The other context may belong to another coordinator:
  /// rows are the same if their stores have the same UUID.
  open func mergeChanges(fromContextDidSave notification: Notification) { merge(notification) }

  /// Merges changes made elsewhere into several contexts; see ``mergeChanges(fromContextDidSave:)``.
  ///
  /// - Parameters:
  ///   - changeNotificationData: lists of object IDs or their URLs under ``NSInsertedObjectsKey``,
  ///     ``NSUpdatedObjectsKey`` and ``NSDeletedObjectsKey``.
  ///   - contexts: the contexts, each of which is changed on its queue.
  open class func mergeChanges(
    fromRemoteContextSave changeNotificationData: [AnyHashable: Any],
    into contexts: [NSManagedObjectContext]
  ) {
    merge(remote: changeNotificationData, into: contexts)
  }

  /// Whether saves of other contexts of the coordinator are merged automatically; in a context with a parent, saves of
  /// the parent and those of other contexts into it. False in a new context.
  open var automaticallyMergesChangesFromParent: Bool {
    get { mergesFromParent }
    set { mergeAutomatically(newValue) }
  }

  /// The query generation that the context reads; nil for the current state, as in a new context and in one with a
  /// parent.
  open var queryGenerationToken: NSQueryGenerationToken? { chosenGeneration }

  /// Pins the context to one state of the stores from its next read on.
  ///
  /// Registered objects keep their values until they are refreshed. A save, a reset, and merging another context's
  /// changes advance the context to the state at that time. A save is checked against the current state, and
  /// conflicts go to the merge policy.
  ///
  /// - Parameter generation: ``NSQueryGenerationToken/current``, another context's token, or nil to read the current
  ///   state again.
  /// - Throws: errors of a store.
  open func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
    pin(to: generation)
  }

  /// Undoes the last group of changes; a no-op without an ``undoManager``.
  open func undo() { performUndo() }

  /// Redoes the last undone group of changes; a no-op without an ``undoManager``.
  open func redo() { performRedo() }

  /// The objects changed since changes were last processed.
  struct PendingEvent {
    var changed: [NSManagedObject] = []
    var inserted: [NSManagedObject] = []
    var deleted: [NSManagedObject] = []
    var refreshed: [NSManagedObject] = []
    /// Objects that another context inserted and saved.
    var merged: [NSManagedObject] = []
    /// New objects of earlier events whose insertion was cancelled.
    var takenBack: [NSManagedObject] = []
    /// Whether changes that an object had in it were discarded.
    var isPartial = false

    var isEmpty: Bool {
      changed.isEmpty && inserted.isEmpty && deleted.isEmpty && refreshed.isEmpty
        && merged.isEmpty && takenBack.isEmpty
    }
  }
}
