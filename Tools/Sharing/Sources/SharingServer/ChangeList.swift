import Foundation
import MomKit
import SharedModel

/// The changes of some transactions, one for each object.
struct ChangeList {
  private var order: [UUID] = []
  private var changes: [UUID: ChangesAnswer.Change] = [:]
  private var identifiers: [NSManagedObjectID: UUID] = [:]
  private var pushes: [ChangesAnswer.Push] = []
  private(set) var size = 0

  var count: Int { order.count }

  /// Adds a transaction's changes; of the objects that they are about, the present state.
  mutating func add(
    _ transaction: NSPersistentHistoryTransaction, in context: NSManagedObjectContext
  ) throws {
    if let client = transaction.author, let name = transaction.contextName,
      let push = UUID(uuidString: name)
    {
      pushes.append(.init(client: client, push: push))
    }
    let all = transaction.changes ?? []
    var present: [String: [NSManagedObjectID]] = [:]
    for change in all where change.changeType != .delete {
      let id = change.changedObjectID
      if let identifier = identifiers[id] {
        // Told already, as it is now.
        changes[identifier]?.author = transaction.author
      } else if let name = id.entity.name {
        present[name, default: []].append(id)
      }
    }
    // An object may be deleted and another inserted under its identifier, even by one transaction.
    for change in all where change.changeType == .delete {
      guard let name = change.changedObjectID.entity.name,
        let identifier = change.tombstone?[SharedEntity.identifierKey] as? UUID
      else { continue }
      add(
        .init(
          kind: .deleted, entity: name, id: identifier, author: transaction.author, object: nil))
    }
    let inserted = Set(all.filter { $0.changeType == .insert }.map(\.changedObjectID))
    for (name, ids) in present.sorted(by: { $0.key < $1.key }) {
      guard let entity = SharedModel.entities[name] else { continue }
      let request = NSFetchRequest<NSManagedObject>(entityName: name)
      request.predicate = NSPredicate(format: "SELF IN %@", argumentArray: [ids])
      request.sortDescriptors = [
        NSSortDescriptor(key: SharedEntity.identifierKey, ascending: true)
      ]
      request.returnsObjectsAsFaults = false
      for object in try context.fetch(request) {
        guard let state = entity.state(object) else { continue }
        let kind: ChangesAnswer.Kind = inserted.contains(object.objectID) ? .inserted : .updated
        identifiers[object.objectID] = state.id
        size += state.size
        add(
          .init(
            kind: kind, entity: name, id: state.id, author: transaction.author, object: state))
      }
    }
  }

  private mutating func add(_ change: ChangesAnswer.Change) {
    if changes.updateValue(change, forKey: change.id) == nil { order.append(change.id) }
  }

  func answer(_ token: String, more: Bool) -> ChangesAnswer {
    ChangesAnswer(
      token: token, more: more, pushes: pushes, changes: order.compactMap { changes[$0] })
  }
}
