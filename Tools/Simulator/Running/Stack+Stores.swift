import MomKit

/// Operations on stores.
extension Stack {
  /// The key of the program's number in the metadata.
  static let metadataKey = "SimulatorNumber"

  /// Resets a coordinator's contexts, removes its stores, and adds these again.
  func reopen(_ number: Int) throws {
    for c in contexts.indices where setup.contexts[c].coordinator % coordinators.count == number {
      within(c) { $0.reset() }
      held[c] = [:]
    }
    let coordinator = coordinators[number]
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    for store in 0..<plan.storeCount { try addStore(store, to: coordinator) }
    if setup.wholeFile != nil { try forgetUnsavedIdentities(coordinator) }
    for c in contexts.indices where setup.contexts[c].coordinator % coordinators.count == number {
      try refetch(c)
    }
  }

  /// Forgets the identities of objects that were never saved: a store that is read again as a whole gives their keys to
  /// others.
  private func forgetUnsavedIdentities(_ coordinator: NSPersistentStoreCoordinator) throws {
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    var saved: Set<URL> = []
    for entity in plan.entities where entity.parent == nil {
      let request = NSFetchRequest<NSManagedObjectID>(entityName: entity.name)
      request.resultType = .managedObjectIDResultType
      for identity in try context.fetch(request) { saved.insert(identity.uriRepresentation()) }
    }
    for (url, name) in names where !saved.contains(url) {
      (names[url], identities[name]) = (nil, nil)
    }
  }

  /// Has controllers fetch again, as a program must once their objects are invalid.
  func refetch(_ c: Int) throws {
    try within(c) { _ in for watch in watches[c] ?? [] { try watch.fetch() } }
  }

  func setMetadata(_ number: Int, _ coordinator: NSPersistentStoreCoordinator) {
    for store in coordinator.persistentStores {
      var metadata = coordinator.metadata(for: store)
      metadata[Self.metadataKey] = NSNumber(value: number)
      coordinator.setMetadata(metadata, for: store)
    }
  }

  /// The number in the metadata of each store.
  static func metadata(_ coordinator: NSPersistentStoreCoordinator) -> [Int?] {
    coordinator.persistentStores.map {
      (coordinator.metadata(for: $0)[metadataKey] as? NSNumber)?.intValue
    }
  }
}
