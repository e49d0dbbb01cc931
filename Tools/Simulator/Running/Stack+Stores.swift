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
    for c in contexts.indices where setup.contexts[c].coordinator % coordinators.count == number {
      try refetch(c)
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
