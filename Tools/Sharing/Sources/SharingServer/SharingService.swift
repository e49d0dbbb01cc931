import Foundation
import MomKit
import MomKitPostgreSQL
import SharedModel

/// Fetches, saves, and tells changes of the model's objects in a PostgreSQL store.
///
/// It keeps nothing between requests, so any number of servers may stand before one database.
struct SharingService: Sendable {
  let coordinator: NSPersistentStoreCoordinator
  /// The store's UUID, part of every token.
  let storeIdentifier: String

  init(database: URL) throws {
    PostgreSQLStore.register()
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: SharedModel.model)
    let store = try coordinator.addPersistentStore(
      ofType: NSPostgreSQLStoreType, configurationName: nil, at: database,
      options: [
        NSPersistentHistoryTrackingKey: true as NSNumber,
        NSMigratePersistentStoresAutomaticallyOption: true as NSNumber,
        NSInferMappingModelAutomaticallyOption: true as NSNumber,
      ])
    storeIdentifier = store.identifier ?? ""
  }

  /// Returns a context for one request.
  func makeContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    context.undoManager = nil
    return context
  }

  /// Returns an entity that a client named.
  static func entity(_ name: String) throws -> SharedEntity {
    guard let entity = SharedModel.entities[name] else {
      throw Refusal.malformed("There is no entity \(name.prefix(100)).")
    }
    return entity
  }

  // MARK: Fetching

  func fetch(_ question: FetchQuestion) async throws -> FetchAnswer {
    let entity = try Self.entity(question.entity)
    let predicate = try PredicateRules.predicate(question, entity)
    let orders = question.sort ?? []
    guard orders.count <= 4,
      orders.allSatisfy({ entity.entity.attributesByName[$0.key] != nil })
    else { throw Refusal.malformed("Objects are sorted by at most four attributes.") }
    let limit = question.limit ?? Limits.fetchedByDefault
    guard (1...Limits.fetched).contains(limit) else {
      throw Refusal.malformed("The limit is a number from 1 to \(Limits.fetched).")
    }
    let tree = predicate?.tree
    let context = makeContext()
    return try await context.perform {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
      request.predicate = tree?.predicate
      // The identifier makes the order complete.
      request.sortDescriptors =
        orders.map { NSSortDescriptor(key: $0.key, ascending: $0.ascending ?? true) }
        + [NSSortDescriptor(key: SharedEntity.identifierKey, ascending: true)]
      request.fetchLimit = limit + 1
      request.fetchBatchSize = 50
      var objects: [ObjectState] = []
      var size = 0
      for object in try context.fetch(request) {
        guard objects.count < limit, size < Limits.answer else {
          return FetchAnswer(objects: objects, more: true)
        }
        guard let state = entity.state(object) else { continue }
        objects.append(state)
        size += state.size
      }
      return FetchAnswer(objects: objects, more: false)
    }
  }
}
