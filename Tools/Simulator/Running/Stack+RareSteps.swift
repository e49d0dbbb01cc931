import MomKit

/// What open programs do now and then.
extension Stack {
  func perform(_ step: RareStep, _ context: NSManagedObjectContext, _ c: Int) throws {
    let coordinator = coordinators[setup.contexts[c].coordinator % coordinators.count]
    defer { if step.endsObjects { held = held.map { _ in [:] } } }
    switch step {
    case .moveStores: try moveStores(of: coordinator)
    case .readd(let number):
      guard let store = store(number, of: coordinator) else { throw Impossible("no store") }
      try coordinator.remove(store)
      try addStore(number, to: coordinator)
    case .saveWithout(let number):
      guard let store = store(number, of: coordinator) else { throw Impossible("no store") }
      try coordinator.remove(store)
      // It can't write what belongs to the store that isn't there; what it does with that is what is tried.
      let failure = Result { try context.save() }
      try addStore(number, to: coordinator)
      try failure.get()
    case .replaceStores: try replaceStores(of: coordinator)
    case .deleteHistory:
      let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
      _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: token))
    case .detectConflicts(let name): context.detectConflicts(for: try object(name, c))
    case .insertAgain(let name):
      guard let object = held[c][name] else { throw Impossible("object \(name) is unknown") }
      guard object.managedObjectContext == nil || object.managedObjectContext === context else {
        throw Impossible("object \(name) is another context's")
      }
      context.insert(object)
    case .deleteRows(let names, let merging):
      let ids = names.compactMap { try? identity($0, c) }.filter { !$0.isTemporaryID }
      guard let first = ids.first else { throw Impossible("no rows") }
      let request = NSBatchDeleteRequest(
        objectIDs: ids.filter { Self.root($0.entity) == Self.root(first.entity) })
      request.resultType = .resultTypeObjectIDs
      let result = try context.execute(request) as? NSBatchDeleteResult
      guard merging else { return }
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [
          NSDeletedObjectIDsKey: result?.result as? [NSManagedObjectID] ?? []
        ], into: [context])
    case .setUnrecorded(let name, let key, let number):
      let object = try object(name, c)
      guard let kind = plan.attribute(key, of: object.entity.name ?? "")?.kind else {
        throw Impossible("object \(name) has no \(key)")
      }
      context.processPendingChanges()
      context.undoManager?.disableUndoRegistration()
      defer { context.undoManager?.enableUndoRegistration() }
      object.setValue(number.flatMap { kind.value($0) }, forKey: key)
      context.processPendingChanges()
    }
  }

  private static func root(_ entity: NSEntityDescription) -> NSEntityDescription {
    var root = entity
    while let parent = root.superentity { root = parent }
    return root
  }

  private func store(
    _ number: Int, of coordinator: NSPersistentStoreCoordinator
  ) -> NSPersistentStore? {
    coordinator.persistentStore(for: url(of: number))
  }

  /// Moves a coordinator's stores to files of other names.
  private func moveStores(of coordinator: NSPersistentStoreCoordinator) throws {
    for number in 0..<plan.storeCount {
      guard let store = store(number, of: coordinator) else { throw Impossible("no store") }
      let goal = nextURL(of: number)
      _ = try coordinator.migratePersistentStore(
        store, to: goal, options: storeOptions, withType: store.type)
      moved[number] = goal
    }
  }

  /// Copies a coordinator's stores, and puts the copies in their places.
  private func replaceStores(of coordinator: NSPersistentStoreCoordinator) throws {
    for number in 0..<plan.storeCount {
      guard let store = store(number, of: coordinator) else { throw Impossible("no store") }
      let (place, copy) = (url(of: number), nextURL(of: number))
      let other = NSPersistentStoreCoordinator(managedObjectModel: model)
      try other.replacePersistentStore(
        at: copy, destinationOptions: nil, withPersistentStoreFrom: place, sourceOptions: nil,
        ofType: store.type)
      try coordinator.remove(store)
      let failure = Result {
        try other.replacePersistentStore(
          at: place, destinationOptions: nil, withPersistentStoreFrom: copy, sourceOptions: nil,
          ofType: store.type)
      }
      try addStore(number, to: coordinator)
      try failure.get()
      try other.destroyPersistentStore(at: copy, ofType: store.type)
    }
  }
}
