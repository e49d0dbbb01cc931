import Foundation
import MomKit
import SharedModel

/// What the app has changed since a point in the store's history.
struct LocalChanges {
  /// The changed properties of inserted and updated objects. Some of the objects may no longer exist.
  private(set) var properties: [NSManagedObjectID: Set<String>] = [:]
  private(set) var deleted: [UUID: ObjectReference] = [:]
  /// The end of the history that was read.
  private(set) var end: Data?

  init(after token: Data?, in context: NSManagedObjectContext) throws {
    let request = NSPersistentHistoryChangeRequest.fetchHistory(
      after: try NSPersistentHistoryToken.unarchived(token))
    let result = try context.execute(request) as? NSPersistentHistoryResult
    let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
    end = try transactions.last?.token.archived ?? token
    for transaction in transactions where transaction.author != NotesStore.syncAuthor {
      for change in transaction.changes ?? [] { add(change) }
    }
  }

  private mutating func add(_ change: NSPersistentHistoryChange) {
    let id = change.changedObjectID
    guard let name = id.entity.name, let entity = SharedModel.entities[name] else { return }
    switch change.changeType {
    case .insert: properties[id] = entity.propertyNames
    case .update:
      let names = Set((change.updatedProperties ?? []).map(\.name))
      let changed = names.intersection(entity.propertyNames)
      if !changed.isEmpty { properties[id, default: []].formUnion(changed) }
    case .delete:
      properties[id] = nil
      let values = change.tombstone ?? [:]
      guard let identifier = values[SharedEntity.identifierKey] as? UUID else { return }
      let revision = values[SharedEntity.revisionKey] as? NSNumber
      deleted[identifier] = ObjectReference(
        entity: name, id: identifier, version: revision?.int64Value ?? 0)
    }
  }

  var isEmpty: Bool { properties.isEmpty && deleted.isEmpty }

  /// Returns the requests that save the changes: objects before those that refer to them, deletions last.
  func questions(
    _ client: String, versions: [UUID: Int64], in context: NSManagedObjectContext
  ) throws -> [SaveQuestion] {
    var states: [(state: ObjectState, isNew: Bool)] = []
    for name in SharedModel.entityNames {
      guard let entity = SharedModel.entities[name] else { continue }
      let ids = properties.keys.filter { $0.entity.name == name }
      let request = NSFetchRequest<NSManagedObject>(entityName: name)
      request.predicate = NSPredicate(format: "SELF IN %@", argumentArray: [Array(ids)])
      request.sortDescriptors = [
        NSSortDescriptor(key: SharedEntity.identifierKey, ascending: true)
      ]
      guard !ids.isEmpty else { continue }
      for object in try context.fetch(request) {
        // What the server knows is never inserted again.
        let isNew = object.sharedRevision == 0
        guard
          let state = entity.state(object, only: isNew ? nil : properties[object.objectID])
        else { continue }
        states.append((state, isNew))
      }
    }
    var questions = [SaveQuestion(client: client, push: UUID())]
    var (count, size) = (0, 0)
    func makeRoom(_ more: Int) {
      if count > 0, count == SyncRun.batch || size + more > SyncRun.batchSize {
        questions.append(SaveQuestion(client: client, push: UUID()))
        (count, size) = (0, 0)
      }
      count += 1
      size += more
    }
    for (state, isNew) in states {
      makeRoom(state.size)
      if isNew {
        questions[questions.count - 1].inserted?.append(state)
      } else {
        questions[questions.count - 1].updated?.append(state)
      }
    }
    for (id, reference) in deleted.sorted(by: { $0.key.uuidString < $1.key.uuidString }) {
      makeRoom(120)
      questions[questions.count - 1].deleted?.append(
        ObjectReference(
          entity: reference.entity, id: id, version: versions[id] ?? reference.version))
    }
    return questions
  }
}
