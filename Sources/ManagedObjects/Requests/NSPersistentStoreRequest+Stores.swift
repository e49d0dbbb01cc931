import DataModels
import Foundation

extension NSPersistentStoreRequest {
  /// The stores to which the request is sent; nil for all to which it applies.
  public final var affectedStores: [NSPersistentStore]? {
    get { affectedStoreObjects?.compactMap { $0 as? NSPersistentStore } }
    set { affectedStoreObjects = newValue }
  }
}

/// A request that implements its own execution.
package protocol ExecutableRequest: NSPersistentStoreRequest {
  func execute(
    in context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> NSPersistentStoreResult
}

extension ExecutableRequest {
  /// The engines of the stores that may contain objects of an entity, with their stores, after checking that all of
  /// them are writable.
  ///
  /// - Parameter asked: the stores that the request names; nil for all.
  func writableEngines(
    for layout: EntityLayout, includesSubentities: Bool,
    _ coordinator: NSPersistentStoreCoordinator, in asked: [NSPersistentStore]?
  ) throws -> [(store: NSPersistentStore, engine: any RequestEngine)] {
    let stores = (asked ?? coordinator.persistentStores).filter {
      $0.mayHaveRows(of: layout, includesSubentities: includesSubentities)
        && $0.persistentStoreCoordinator === coordinator
    }
    guard !stores.isEmpty else { throw CoreDataError.noStore(for: layout.name) }
    // One that only has subentities' rows, and can't take the request, hinders it in no other store.
    let able = stores.filter { store in
      asked != nil || store.holds(layout)
        || !store.isReadOnly && (try? store.requireRequestEngine()) != nil
    }
    return try (able.isEmpty ? stores : able).map { store in
      guard !store.isReadOnly else { throw CoreDataError.readOnly([store]) }
      return (store, try store.requireRequestEngine())
    }
  }
}

extension NSManagedObjectContext {
  /// The layout of the entity that a request names.
  final func layout(_ entity: NSEntityDescription?, named name: String?) throws -> EntityLayout {
    guard let model = modelLayout else { throw CoreDataError.noStore(for: name ?? "") }
    if let entity, let known = layout(of: entity) { return known }
    if let name, let known = model[name] { return known }
    throw CoreDataError.make(
      NSCoreDataError,
      "The model has no entity named '\(name ?? entity?.name ?? "")', which a batch request requires."
    )
  }

  /// The object IDs of the rows that match a query, for a store whose query language can't express it.
  final func matchingInMemory(_ query: RowQuery) throws -> [NSManagedObjectID] {
    let reader = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    reader.persistentStoreCoordinator = persistentStoreCoordinator
    return try reader.fetchObjects(query.request).map(\.objectID)
  }
}
