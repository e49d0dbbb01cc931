import CoreData
import Foundation

/// Performs work on one entity's objects off the main queue.
actor Repository<Model: Entity> {
  private let container: NSPersistentContainer
  private let context: NSManagedObjectContext

  init(container: NSPersistentContainer) {
    self.container = container
    context = container.newBackgroundContext()
  }

  func insert(_ configure: @escaping @Sendable (Model) -> Void) async throws
    -> NSManagedObjectID
  {
    try await context.perform { [context] in
      let object = Model(context: context)
      configure(object)
      try context.save()
      return object.objectID
    }
  }

  func values<Value: Sendable>(
    of keyPath: KeyPath<Model, Value> & Sendable, where format: String? = nil
  ) async throws -> [Value] {
    try await context.perform { [context] in
      let request = NSFetchRequest<Model>(entityName: Model.entity().name ?? "")
      request.predicate = format.map { NSPredicate(format: $0) }
      request.sortDescriptors = [NSSortDescriptor(keyPath: keyPath, ascending: true)]
      return try context.fetch(request).map { $0[keyPath: keyPath] }
    }
  }

  func delete(_ id: NSManagedObjectID) async throws {
    try await context.perform(schedule: .enqueued) { [context] in
      guard let object = try context.existingObject(with: id) as? Model else { return }
      context.delete(object)
      try context.save()
    }
  }

  @discardableResult
  func batchInsert(_ rows: [[String: any Sendable]]) async throws -> Int {
    let context = context
    let ids: [NSManagedObjectID] = try await context.perform {
      var iterator = rows.makeIterator()
      let request = NSBatchInsertRequest(
        entity: Model.entity(),
        dictionaryHandler: { dictionary in
          guard let row = iterator.next() else { return true }
          dictionary.addEntries(from: row)
          return false
        })
      request.resultType = .objectIDs
      let result = try context.execute(request) as? NSBatchInsertResult
      return result?.result as? [NSManagedObjectID] ?? []
    }
    await MainActor.run {
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSInsertedObjectIDsKey: ids], into: [container.viewContext])
    }
    return ids.count
  }

  func batchUpdate(_ values: [String: any Sendable], where format: String) async throws
    -> Int
  {
    try await context.perform { [context] in
      let request = NSBatchUpdateRequest(entityName: Model.entity().name ?? "")
      request.predicate = NSPredicate(format: format)
      request.propertiesToUpdate = values
      request.resultType = .updatedObjectsCountResultType
      return (try context.execute(request) as? NSBatchUpdateResult)?.result as? Int ?? 0
    }
  }
}
