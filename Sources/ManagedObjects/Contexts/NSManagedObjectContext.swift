import DataModels
import Foundation
import Synchronization

/// A workplace for managed objects: it fetches them, watches their changes, and saves them together.
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
/// A context and its objects are used on its queue only: inside `perform` and `performAndWait`, for
/// a main queue context also on the main thread and the main actor. Its parent is a coordinator, or
/// another context, which takes the changes in when this one is saved.
///
/// Blocks of a main queue context that come from other threads run when the main thread has turns of
/// its queue: in `RunLoop.main.run()`, in `dispatchMain()`, or in a program whose `main` is
/// asynchronous, between its awaits. While none of these is going on, ``perform(_:)`` waits and
/// `performAndWait(_:)` of another thread doesn't come back, as everywhere; the main thread itself may
/// use the context all the same. At the end of each turn a main queue context processes its changes.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
  /// How the context is used.
  public final let concurrencyType: NSManagedObjectContextConcurrencyType
  /// A name for persistent history and for people.
  open var name: String?
  /// Who makes the changes, for persistent history.
  open var transactionAuthor: String?
  /// Whether the context keeps objects that nobody else holds. False in a new context.
  open var retainsRegisteredObjects = false
  /// Whether deletions reach related objects with ``processPendingChanges()`` already, rather than
  /// with the save. True in a new context.
  open var propagatesDeletesAtEndOfEvent = true
  /// Whether an object whose row is gone counts as deleted, with empty values, rather than trapping
  /// when it is used. True in a new context.
  open var shouldDeleteInaccessibleFaults = true
  /// What is done when other writers changed the same rows: an ``NSMergePolicy``.
  open var mergePolicy: Any = NSMergePolicy.error
  /// How old values may be, in seconds, that a refreshed object gets; negative for any age. Values
  /// always come fresh from the store.
  open var stalenessInterval: TimeInterval = -1
  /// Free notes of the program.
  public final let userInfo = NSMutableDictionary()

  /// Who takes changes back; nil in a new context, which then has no undo.
  open var undoManager: UndoManager? {
    didSet { observeUndoManager() }
  }

  /// Whether an object whose row is gone counts as deleted, with empty values.
  ///
  /// - Returns: ``shouldDeleteInaccessibleFaults``, unless a class decides for itself. If false, using
  ///   the object traps.
  open func shouldHandleInaccessibleFault(
    _ fault: NSManagedObject, for oid: NSManagedObjectID,
    triggeredByProperty property: NSPropertyDescription?
  ) -> Bool {
    shouldDeleteInaccessibleFaults
  }

  final let queue: ContextQueue
  final let identityMap = IdentityMap()
  final let rows = RowAllocator(keeping: nil)
  /// The entity and the class that objects were made of last, and the model that keeps them.
  private final var lastEntity: EntityLayout?
  private final var lastClass: (type: NSManagedObject.Type, layout: EntityLayout)?
  private final var lastModel: ModelLayout?
  /// What is unsaved, and what was touched in the present event.
  final let unsaved: UnsavedObjects
  /// The sets that notifications of the save that is running share; nil at other times.
  final var savingSets: NotificationSets?
  /// Unchanged objects whose versions the next save checks.
  final var guarded: [NSManagedObject] = []
  /// The objects whose deletion by others was merged in the present event.
  final var mergedDeletions: [NSManagedObject] = []
  /// What went wrong when a fault was fired, until a save has thrown it or changes are dropped.
  final var faultingError: (any Error)?
  /// What went wrong when deletions were last carried to related objects, which is to be done once more.
  final var unreadDeletion: (any Error)?
  /// Whether objects that never were saved, or whose rows are gone, may still be referred to.
  final var mayDangle = false
  /// The lasting identities of objects that had one before they were saved, and never were.
  final var unusedIdentities = UnusedIdentities()
  final var survivorsOfLastSweep = 0
  final var isProcessingChanges = false
  /// Whether a save is under way, until its changes are the store's.
  final var isSaving = false
  /// The controllers that follow the context's changes.
  final var followers: [Follower] = []
  /// Fetches with a batch size whose batches aren't all loaded.
  final var lazyFetches: [LazyFetch] = []
  /// Which state of the stores is read.
  final var generationChoice = GenerationChoice.unpinned
  /// Whether changes are being taken back.
  final var isApplyingUndo = false
  /// Whether other writers' changes are being taken in, which nobody here can take back.
  final var isMerging = false
  /// Whether there are objects with temporary identities that an ancestor may replace by lasting ones.
  final var awaitsIdentities = false
  /// How often identities had been replaced, in any context, when this one last looked.
  final var seenSuccessions = 0
  final var undoObserver: (any NSObjectProtocol)?

  private final var coordinator: NSPersistentStoreCoordinator?
  private final var parentContext: NSManagedObjectContext?
  final var mergesFromParent = false
  final var mergeObserver: (any NSObjectProtocol)?

  /// Makes a context without a parent.
  public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
    concurrencyType = ct
    Confinement.setUp
    queue = ContextQueue.make(ct)
    unsaved = UnsavedObjects(noticesTurns: queue.hasTurns)
    super.init()
  }

  /// Makes a context without a parent.
  public convenience init(_ type: ConcurrencyType) {
    self.init(concurrencyType: type.rawValue)
  }

  /// A context without a queue, as `NSManagedObjectContext()` makes it.
  @available(*, deprecated, message: "use init(concurrencyType:)")
  public static func new() -> NSManagedObjectContext {
    NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
  }

  /// Makes a context that the caller confines to one thread, as in the oldest programs.
  public override convenience init() {
    self.init(concurrencyType: .confinementConcurrencyType)
  }

  deinit {
    for observer in [mergeObserver, undoObserver] {
      if let observer { NotificationCenter.default.removeObserver(observer) }
    }
    for list in [inserted, updated, deleted] { list.visit { $0.context = nil } }
    identityMap.removeAll { $0.leaveContext() }
  }

  // MARK: Parents

  /// The coordinator whose stores the context works with, or that of its parent.
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

  /// The context this one saves into.
  ///
  /// Objects are filled with what the parent's objects have at that moment, unsaved changes included. Transient values
  /// aren't handed down: they begin with the model's defaults, as in an object that a store's row is read for. A save
  /// hands those that were changed to the parent's objects; one that was set to the default it began with is
  /// no change, and leaves the parent's as it is.
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

  /// The layout of an entity of the context's model, also by the name of one that is equal to it.
  final func layout(of entity: NSEntityDescription) -> EntityLayout? {
    if let lastEntity, lastEntity.entity === entity { return lastEntity }
    guard let model = modelLayout,
      let layout = model[entity] ?? entity.name.flatMap({ model[$0] })
    else { return nil }
    if lastModel !== model { use(model) }
    lastEntity = layout
    return layout
  }

  private final func use(_ model: ModelLayout) {
    (lastModel, lastEntity, lastClass) = (model, nil, nil)
    rows.kept = model
  }

  /// The layout of the only entity of the context's model that a class stands for.
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

  // MARK: What it holds

  /// The objects inserted since the last save.
  open var insertedObjects: Set<NSManagedObject> { Set(pendingInserted) }
  /// The objects changed since the last save.
  open var updatedObjects: Set<NSManagedObject> { Set(pendingUpdated) }
  /// The objects the next save deletes, and, until the event ends, those that a merge says others have deleted: with
  /// them there is nothing left to save.
  open var deletedObjects: Set<NSManagedObject> {
    Set(pendingDeleted + mergedDeletions.filter { $0.isDeleted && $0.isOf(self) })
  }

  /// Every object the context knows.
  open var registeredObjects: Set<NSManagedObject> {
    sweep()
    return Set(identityMap.objects)
  }

  /// Whether there is something to save.
  open var hasChanges: Bool {
    inserted.contains(where: \.isInserted) || updated.contains(where: \.isUpdated)
      || deleted.contains { $0.isDeleted && !$0.state.contains(.inserted) }
  }

  final var pendingInserted: [NSManagedObject] { inserted.keeping { $0.isInserted } }
  final var pendingUpdated: [NSManagedObject] { updated.keeping { $0.isUpdated } }
  final var pendingDeleted: [NSManagedObject] {
    deleted.filter { $0.isDeleted && !$0.state.contains(.inserted) }
  }

  // MARK: What a class may do otherwise

  /// Runs `block` on the context's queue, later; changes are processed when it ends.
  ///
  /// As in Core Data the block needn't be `@Sendable`: it may hold what it is given, and is run once.
  open func perform(_ block: @escaping () -> Void) { enqueue(block) }

  /// Runs `block` on the context's queue and waits for it, as the other method of this name: it has the type
  /// `(() -> Void) -> Void` where it is handed on as a value.
  open func performAndWait(_ block: () -> Void) { runAndWait(block) }

  /// Saves every unsaved change, in one transaction, or none of them.
  ///
  /// The parent takes the changes in; with a parent context they reach the store when that one is
  /// saved.
  ///
  /// - Throws: the validation errors of the objects (``NSValidationMultipleErrorsError`` for more
  ///   than one); ``NSManagedObjectMergeError`` and ``NSManagedObjectConstraintMergeError`` for
  ///   conflicts that the merge policy doesn't resolve; ``NSManagedObjectValidationError`` for a
  ///   relationship that was set to an object which is deleted or was never saved, and
  ///   ``NSManagedObjectExternalRelationshipError`` for one that leads into another store; what the
  ///   store throws; once what it threw when a property was read, or an object refreshed, since the last save
  ///   with changes, as reading doesn't throw: the program may have taken what it got for what is stored. The save
  ///   after that goes on, unless an object was changed that couldn't be read, which only a rollback or a reset
  ///   mends. What goes wrong while others' saves are merged, or results controllers follow them, is not thrown
  ///   (an object that isn't brought up to date meets a conflict when it is saved; a controller catches up with the
  ///   next event), and a save without changes throws nothing of the kind. Error 132001 while
  ///   the context is being saved, or deletions are being carried to other objects: in `willSave`, in
  ///   validation, and in observers of what is posted before the changes are the store's. After an error
  ///   the context is as it was, but that new objects may have lasting identities, and that what a merge
  ///   policy has resolved stays so; after ``NSPersistentStoreIncompleteSaveError`` some stores were saved,
  ///   and only the rest is unsaved.
  ///
  /// A save without changes posts that it begins and that it is over, with no objects, as Core Data's does, and has
  /// stores write what they want written beside objects. Changes that are made by whoever hears that it begins are
  /// saved. One that answers the notification of this context's own save posts nothing more: programs save whatever
  /// context they hear of.
  ///
  /// Whoever hears that the context was saved (`didSave`, and the observers of that notification) may
  /// change it and save it again: the changes of the first save are the store's by then.
  open func save() throws { try saveChanges() }

  /// Ends an event: carries deletions to related objects, and posts what changed.
  ///
  /// What an observer of the notification changes is a new event. A main queue context ends an event
  /// by itself with each turn of the main queue, every context with a block of ``perform(_:)``, a save
  /// and an undo.
  open func processPendingChanges() { settlePendingChanges() }

  /// The object of an identity, if the context knows it.
  open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
    registered(objectID)
  }

  /// The object of an identity: one the context knows, or a new fault. The store isn't asked.
  open func object(with objectID: NSManagedObjectID) -> NSManagedObject { knownOrFault(objectID) }

  /// The object of an identity with its values, from the store if need be.
  ///
  /// - Throws: ``NSManagedObjectReferentialIntegrityError`` when there is no such row; what the store
  ///   throws.
  open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
    try knownOrFetched(objectID)
  }

  /// Takes an object in that was made without a context, or was deleted and not yet saved.
  open func insert(_ object: NSManagedObject) { takeBackOrIn(object) }

  /// Marks an object for deletion by the next save; the delete rules of its relationships reach
  /// others when changes are processed.
  open func delete(_ object: NSManagedObject) { markDeleted(object) }

  /// Takes back every unsaved change; the store isn't asked.
  ///
  /// Observers of what changes hear of it at once: of objects that were new as deleted, of those that
  /// are there again as inserted, of all others as refreshed, for they have no changes any more. (Which
  /// sets Core Data tells of them in is written nowhere; that it posts is.)
  open func rollback() { takeChangesBack() }

  /// Forgets every object and every unsaved change. Objects that somebody still holds become faults, which
  /// read as empty.
  ///
  /// Results controllers with a delegate fetch anew.
  open func reset() { forgetObjects() }

  /// Has the next save check that an unchanged object's row is still as it was read.
  open func detectConflicts(for object: NSManagedObject) { guardVersion(of: object) }

  /// Gives objects that were never saved their lasting identities now.
  ///
  /// An object that was saved into a parent context gets its own from the ancestor that writes to the store,
  /// whether that was saved or not.
  ///
  /// - Throws: what the store throws that is to set keys aside.
  open func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
    try giveLastingIdentities(to: objects)
  }

  /// Brings an object up to date with the store.
  ///
  /// An object without changes becomes a fault, and its transient values are gone, either way. An object
  /// that was never saved has nothing in the store to go back to: with `flag` it stays as it is; without, it is a
  /// fault that isn't inserted any more, which no save writes, and which reads as empty and deleted. So does one whose
  /// row others have deleted.
  ///
  /// - Parameters:
  ///   - object: an object of the context.
  ///   - flag: whether unsaved changes are kept, on top of the store's values and destinations; if not, the
  ///     object becomes a fault.
  open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
    bringUpToDate(object, mergeChanges: flag)
  }

  /// Refreshes every object, keeping unsaved changes.
  open func refreshAllObjects() { bringAllUpToDate() }

  /// Takes the changes of another context's save in.
  ///
  /// What was updated is refreshed: unsaved changes stay, on top of the store's values and destinations. What
  /// was deleted counts as deleted here too, is among the ``deletedObjects`` until the event ends (with
  /// ``processPendingChanges()``, a save, or the block of ``perform(_:)``), and is left out of relationships;
  /// unsaved references to it are treated by the delete rules. The other context may be of another coordinator: rows
  /// are the same if their stores have the same UUID.
  open func mergeChanges(fromContextDidSave notification: Notification) { merge(notification) }

  /// Takes the last group of changes back; without an ``undoManager`` nothing happens.
  open func undo() { takeGroupBack() }

  /// Makes again what was taken back last; without an ``undoManager`` nothing happens.
  open func redo() { repeatGroup() }

  /// The objects touched since changes were last processed.
  struct PendingEvent {
    var changed: [NSManagedObject] = []
    var inserted: [NSManagedObject] = []
    var deleted: [NSManagedObject] = []
    var refreshed: [NSManagedObject] = []
    /// Objects that another context inserted and saved.
    var merged: [NSManagedObject] = []
    /// New objects of earlier events that aren't inserted any more.
    var takenBack: [NSManagedObject] = []

    var isEmpty: Bool {
      changed.isEmpty && inserted.isEmpty && deleted.isEmpty && refreshed.isEmpty
        && merged.isEmpty && takenBack.isEmpty
    }
  }
}
