import MomKit

/// The library's side of a program: coordinators for the same files, and contexts.
final class Stack {
  private(set) var plan: ModelPlan
  let setup: Setup
  let folder: URL
  private(set) var model: NSManagedObjectModel
  private(set) var coordinators: [NSPersistentStoreCoordinator] = []
  private(set) var contexts: [NSManagedObjectContext] = []
  /// The objects seen in each context. They are retained, so that none is released unexpectedly.
  var held: [[ObjectName: NSManagedObject]]
  /// New objects that a refresh reverted, which others may still refer to.
  var takenBack: [[ObjectName: NSManagedObject]]
  /// New objects that aren't in their contexts yet, by context.
  var late: [Int: [NSManagedObject]] = [:]
  /// The names of objects by URI.
  var names: [URL: ObjectName] = [:]
  var identities: [ObjectName: NSManagedObjectID] = [:]
  /// The notification of each context's last save.
  let lastSaves = LastSaves()
  /// The fetched results controllers, by context.
  private(set) var watches: [Int: [ControllerWatch]] = [:]
  /// The position up to which history was read.
  var historyToken: NSPersistentHistoryToken?
  /// Performs the steps of the remote contexts; started by the first of these.
  private var otherProcess: OtherProcess?
  private let isOtherProcess: Bool
  /// Whether it has performed a step since its contexts last released objects.
  private var hasRemoteStep = false
  let program: Program
  /// What the program has given so far.
  let trace = RunTrace()
  /// Whether external files that no row refers to may remain, because they couldn't be removed.
  var mayLeaveFiles = false
  /// Where stores have been moved to.
  var moved: [Int: URL] = [:]
  private var placeCount = 0
  private var observers: [any NSObjectProtocol] = []

  init(_ program: Program, in folder: URL, isOtherProcess: Bool = false) throws {
    self.program = program
    self.isOtherProcess = isOtherProcess
    plan = program.model
    setup = program.setup
    self.folder = folder
    model = program.model.makeModel(program.customs?.handlers ?? [])
    held = setup.contexts.map { _ in [:] }
    takenBack = held
    try build()
  }

  /// Creates the coordinators, contexts and controllers.
  private func build() throws {
    for _ in 0..<setup.coordinatorCount { coordinators.append(try open()) }
    for (index, context) in setup.contexts.enumerated() { try add(context, index) }
    for (index, context) in setup.contexts.enumerated() {
      watches[index] = try within(index) { made in
        try context.watches.map { plan in
          try ControllerWatch(plan, plan.condition.map { try predicate($0, index) }, made)
        }
      }
    }
  }

  deinit { close() }

  /// Opens everything again with a changed model, to which the stores migrate.
  func evolve(_ evolution: Evolution) throws {
    guard let evolved = plan.evolved(by: evolution) else {
      throw Impossible("the model doesn't fit")
    }
    for c in contexts.indices { within(c) { $0.reset() } }
    for coordinator in coordinators {
      for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
    close()
    lastSaves.byContext = [:]
    late = [:]
    (plan, model) = (evolved, evolved.makeModel(program.customs?.handlers ?? []))
    try build()
    // Temporary identities are the former model's.
    identities = [:]
    for (url, name) in names {
      identities[name] = coordinators.first?.managedObjectID(forURIRepresentation: url)
    }
  }

  /// The location of a store's file.
  func url(of store: Int) -> URL { moved[store] ?? firstURL(of: store) }

  /// A location that none of a store's files has had.
  func nextURL(of store: Int) -> URL {
    placeCount += 1
    let first = firstURL(of: store)
    return first.deletingLastPathComponent().appendingPathComponent(
      "moved\(placeCount)-\(first.lastPathComponent)")
  }

  private func firstURL(of store: Int) -> URL {
    let name = folder.lastPathComponent
    if setup.isOnServer, let url = ServerStores.current?.url("s\(getpid())_\(name)_\(store)") {
      return url
    }
    return folder.appendingPathComponent("store\(store).\(setup.wholeFile?.rawValue ?? "sqlite")")
  }

  /// Whether the stores have files.
  var hasFiles: Bool { !setup.isInMemory || setup.wholeFile != nil }

  /// Whether the stores are SQLite's files.
  var hasTables: Bool { !setup.isInMemory && !setup.isOnServer }

  private var storeType: String {
    switch setup.wholeFile {
    case .xml: NSXMLStoreType
    case .binary: NSBinaryStoreType
    case nil where setup.isOnServer: ServerStores.current?.type ?? NSSQLiteStoreType
    case nil: setup.isInMemory ? NSInMemoryStoreType : NSSQLiteStoreType
    }
  }

  /// A coordinator with the program's stores.
  func open() throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    for store in 0..<plan.storeCount { try addStore(store, to: coordinator) }
    return coordinator
  }

  func addStore(_ store: Int, to coordinator: NSPersistentStoreCoordinator) throws {
    try coordinator.addPersistentStore(
      ofType: storeType,
      configurationName: plan.storeCount > 1 ? ModelPlan.configuration(store) : nil,
      at: hasFiles ? url(of: store) : nil, options: storeOptions)
  }

  var storeOptions: [AnyHashable: Any] {
    var options: [AnyHashable: Any] = [
      NSPersistentStoreTimeoutOption: setup.isOnServer ? 10 : 0.2
    ]
    if !setup.isInMemory {
      options[NSMigratePersistentStoresAutomaticallyOption] = true
      options[NSInferMappingModelAutomaticallyOption] = true
    }
    if setup.keepsHistory { options[NSPersistentHistoryTrackingKey] = true }
    if setup.hasReaders { options[NSPersistentStoreConnectionPoolMaxSizeKey] = 2 }
    return options
  }

  private func add(_ context: ContextPlan, _ index: Int) throws {
    let made = NSManagedObjectContext(
      concurrencyType: context.isPrivate
        ? .privateQueueConcurrencyType : .confinementConcurrencyType)
    if let parent = context.parent, contexts.indices.contains(parent) {
      made.parent = contexts[parent]
    } else {
      made.persistentStoreCoordinator = coordinators[context.coordinator % coordinators.count]
    }
    let policy = context.policy.mergePolicy
    made.mergePolicy = context.ownsPolicy ? OwnMergePolicy(merge: policy.mergeType) : policy
    made.name = "context \(index)"
    if program.customs?.defersDeletions == true { made.propagatesDeletesAtEndOfEvent = false }
    made.automaticallyMergesChangesFromParent = context.mergesAutomatically
    if context.undoes {
      let manager = UndoManager()
      manager.groupsByEvent = false
      made.undoManager = manager
    }
    contexts.append(made)
    observers.append(
      NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: made, queue: nil
      ) { [lastSaves] notification in lastSaves.byContext[index] = notification })
  }

  /// Runs a closure with a context, on the context's queue if it has one.
  func within<Result>(
    _ index: Int, _ body: (NSManagedObjectContext) throws -> Result
  ) rethrows -> Result {
    let context = contexts[index]
    guard context.concurrencyType != .confinementConcurrencyType else { return try body(context) }
    return try context.performAndWait { try body(context) }
  }

  /// Processes the pending changes of a context's parent.
  func settleParent(of index: Int) {
    guard let parent = setup.contexts[index].parent else { return }
    within(parent) { $0.processPendingChanges() }
  }

  /// Whether another process performs the steps of a context.
  func isRemote(_ context: Int) -> Bool { !isOtherProcess && setup.contexts[context].isRemote }

  /// Performs a step in the other process.
  func performRemotely(_ operation: Operation, _ expectation: Expectation) throws -> Outcome {
    let process = try otherProcess ?? OtherProcess(program, in: folder)
    otherProcess = process
    var request = OtherProcess.Request(operation: operation, identities: lastingIdentities)
    if case .shows(let views) = expectation { request.looked = views.keys.sorted() }
    let reply = try process.perform(request)
    learn(reply.identities)
    hasRemoteStep = true
    return reply.outcome
  }

  /// Lets contexts release the objects that aren't retained, as how long they keep these otherwise is unspecified.
  /// Objects that they know by the reference are retained, with their current values.
  func letGo(besides world: ReferenceWorld) throws {
    var known: [Int: [ObjectName]] = [:]
    for (index, context) in world.contexts.enumerated() {
      known[index] = context.names { !$0.isFault && !$0.isDeleted }
    }
    letGo(besides: known)
    guard hasRemoteStep, let otherProcess else { return }
    hasRemoteStep = false
    let request = OtherProcess.Request(identities: lastingIdentities, known: known)
    _ = try otherProcess.perform(request)
  }

  func letGo(besides known: [Int: [ObjectName]]) {
    for index in contexts.indices where !isRemote(index) {
      within(index) { context in
        for name in known[index] ?? [] { read(name, index, context) }
        letGoOfOthers(index, context)
      }
    }
  }

  /// Lets a context release the objects that nothing retains, and turns those that only relationships retain into
  /// faults, as a program does to release them. Faults too: a fetch may have given them rows.
  private func letGoOfOthers(_ index: Int, _ context: NSManagedObjectContext) {
    let held = Set(held[index].values.map(ObjectIdentifier.init))
    let registered = context.registeredObjects
    // A refresh would be an event of its own to an undo manager.
    guard !setup.contexts[index].undoes else { return }
    for object in registered
    where !object.hasChanges && !object.isDeleted && !held.contains(ObjectIdentifier(object)) {
      context.refresh(object, mergeChanges: false)
    }
  }

  private func read(_ name: ObjectName, _ index: Int, _ context: NSManagedObjectContext) {
    if let object = held[index][name], object.managedObjectContext === context {
      _ = fired(object)
    } else if let identity = try? identity(name, index),
      // An object that only the propagation of a deletion has read may not be retained by anything else.
      let object = context.registeredObject(for: identity)
        ?? (try? context.existingObject(with: identity))
    {
      hold(object, name, index)
      _ = fired(object)
    }
  }

  /// Removes the stores from their server.
  private func leaveServer() {
    guard setup.isOnServer else { return }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    for store in 0..<plan.storeCount {
      try? coordinator.destroyPersistentStore(at: url(of: store), ofType: storeType)
    }
  }

  /// Closes everything; the stores remain where they are, except on a server.
  func closeForGood() {
    close()
    leaveServer()
  }

  func close() {
    otherProcess = nil
    for observer in observers { NotificationCenter.default.removeObserver(observer) }
    observers = []
    held = held.map { _ in [:] }
    takenBack = held
    watches = [:]
    contexts = []
    coordinators = []
  }
}

/// The notifications of the contexts' last saves. Sendable: a program runs on one thread at a time.
final class LastSaves: @unchecked Sendable {
  var byContext: [Int: Notification] = [:]
}

extension ContextPlan.Policy {
  var mergePolicy: NSMergePolicy {
    switch self {
    case .error: .error
    case .storeTrump: .mergeByPropertyStoreTrump
    case .objectTrump: .mergeByPropertyObjectTrump
    case .overwrite: .overwrite
    case .rollback: .rollback
    }
  }
}
