import MomKit

/// The library's side of a program: coordinators on the same files, and contexts.
final class Stack {
  private(set) var plan: ModelPlan
  let setup: Setup
  let folder: URL
  private(set) var model: NSManagedObjectModel
  private(set) var coordinators: [NSPersistentStoreCoordinator] = []
  private(set) var contexts: [NSManagedObjectContext] = []
  /// The objects that a context was seen to have. They are held, so that none comes and goes by itself.
  var held: [[ObjectName: NSManagedObject]]
  /// New objects that a refresh took back, to which others may lead yet.
  var takenBack: [[ObjectName: NSManagedObject]]
  /// The names of objects, by what they are called in the files.
  var names: [URL: ObjectName] = [:]
  var identities: [ObjectName: NSManagedObjectID] = [:]
  /// The notification of each context's last save.
  let lastSaves = LastSaves()
  /// The fetched results controllers, by context.
  private(set) var watches: [Int: [ControllerWatch]] = [:]
  /// Up to where history was read.
  var historyToken: NSPersistentHistoryToken?
  /// Who does the steps of contexts that aren't this process', from the first on.
  private var otherProcess: OtherProcess?
  private let isOtherProcess: Bool
  /// Whether it did one since its contexts forgot what nobody holds.
  private var hasRemoteStep = false
  private let program: Program
  /// Whether external files couldn't be removed that no row names any more.
  var mayLeaveFiles = false
  private var observers: [any NSObjectProtocol] = []

  init(_ program: Program, in folder: URL, isOtherProcess: Bool = false) throws {
    self.program = program
    self.isOtherProcess = isOtherProcess
    plan = program.model
    setup = program.setup
    self.folder = folder
    model = program.model.makeModel()
    held = setup.contexts.map { _ in [:] }
    takenBack = held
    try build()
  }

  /// Makes the coordinators, the contexts, and their controllers.
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

  /// Opens everything anew with a changed model, to which the stores migrate.
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
    (plan, model) = (evolved, evolved.makeModel())
    try build()
    for (url, name) in names {
      identities[name] = coordinators.first?.managedObjectID(forURIRepresentation: url)
    }
  }

  /// Where a store's file is.
  func url(of store: Int) -> URL { folder.appendingPathComponent("store\(store).sqlite") }

  /// A coordinator on the program's stores.
  func open() throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    for store in 0..<plan.storeCount { try addStore(store, to: coordinator) }
    return coordinator
  }

  func addStore(_ store: Int, to coordinator: NSPersistentStoreCoordinator) throws {
    var options: [AnyHashable: Any] = [NSPersistentStoreTimeoutOption: 0.2]
    if !setup.isInMemory {
      options[NSMigratePersistentStoresAutomaticallyOption] = true
      options[NSInferMappingModelAutomaticallyOption] = true
    }
    if setup.keepsHistory { options[NSPersistentHistoryTrackingKey] = true }
    try coordinator.addPersistentStore(
      ofType: setup.isInMemory ? NSInMemoryStoreType : NSSQLiteStoreType,
      configurationName: plan.storeCount > 1 ? ModelPlan.configuration(store) : nil,
      at: setup.isInMemory ? nil : url(of: store), options: options)
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

  /// Does something in a context, on its queue if it has one.
  func within<Result>(
    _ index: Int, _ body: (NSManagedObjectContext) throws -> Result
  ) rethrows -> Result {
    let context = contexts[index]
    guard context.concurrencyType != .confinementConcurrencyType else { return try body(context) }
    return try context.performAndWait { try body(context) }
  }

  /// Ends the event of a context's parent.
  func settleParent(of index: Int) {
    guard let parent = setup.contexts[index].parent else { return }
    within(parent) { $0.processPendingChanges() }
  }

  /// Whether the steps of a context are another process'.
  func isRemote(_ context: Int) -> Bool { !isOtherProcess && setup.contexts[context].isRemote }

  /// Has the other process do a step.
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

  /// Has contexts forget what nobody holds: how long they remember it otherwise is their own business. What
  /// they know by the specification is held, with its values of now.
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
        if contexts.count > 1 { letGoOfCircles(index, context) }
      }
    }
  }

  /// Makes faults of what only its own relationships hold, as a program does that wants it to go.
  private func letGoOfCircles(_ index: Int, _ context: NSManagedObjectContext) {
    let held = Set(held[index].values.map(ObjectIdentifier.init))
    for object in context.registeredObjects
    where !object.hasChanges && !held.contains(ObjectIdentifier(object)) && hasRead(object) {
      context.refresh(object, mergeChanges: false)
    }
  }

  /// Whether values or members are here.
  private func hasRead(_ object: NSManagedObject) -> Bool {
    !object.isFault
      || object.entity.relationshipsByName.contains { key, relationship in
        relationship.isToMany && !object.hasFault(forRelationshipNamed: key)
      }
  }

  private func read(_ name: ObjectName, _ index: Int, _ context: NSManagedObjectContext) {
    if let object = held[index][name], object.managedObjectContext === context {
      _ = fired(object)
    } else if let identity = try? identity(name, index),
      // What only a deletion has asked nobody else may hold.
      let object = context.registeredObject(for: identity)
        ?? (try? context.existingObject(with: identity))
    {
      hold(object, name, index)
      _ = fired(object)
    }
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

/// What contexts told of their saves. A program runs on one thread at a time.
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
