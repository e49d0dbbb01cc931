import Foundation
import MomKit
import SharedModel

/// Objects as the server has them, to be taken over into the store.
///
/// What the app has changed and not pushed yet stays as it is: the next push says so to the server. An object that
/// either side has deleted is deleted.
struct ServerStates {
  var objects: [ObjectState] = []
  var deleted: [UUID: String] = [:]
  /// Whether objects are taken over even if the store has a later revision: a database that was restored from a backup
  /// counts its revisions again.
  var replacesAnyRevision = false

  /// Changes the objects in the context, which isn't saved.
  ///
  /// - Parameters:
  ///   - token: the end of what the app has changed and the server has.
  ///   - progress: its incomplete objects are noted.
  /// - Returns: the number of objects that changed.
  func apply(
    in context: NSManagedObjectContext, after token: Data?, _ progress: inout SyncProgress
  ) throws -> Int {
    var found = try present(in: context)
    // Read after the objects, so that what the app saves later is a conflict when these are saved.
    let local = try LocalChanges(after: token, in: context)
    var applied: [ObjectState] = []
    for state in objects where local.deleted[state.id] == nil && deleted[state.id] == nil {
      guard let entity = SharedModel.entities[state.entity] else { continue }
      if let object = found[state.entity]?[state.id] {
        // Known already: from the answer to a push, most of the time.
        guard
          replacesAnyRevision || object.sharedRevision < state.version
            || progress.incomplete.contains(state.id)
        else { continue }
      } else {
        let object = NSManagedObject(entity: entity.entity, insertInto: context)
        object.setValue(state.id, forKey: SharedEntity.identifierKey)
        found[state.entity, default: [:]][state.id] = object
      }
      applied.append(state)
    }
    for state in applied {
      guard let entity = SharedModel.entities[state.entity],
        let object = found[state.entity]?[state.id]
      else { continue }
      let kept = local.properties[object.objectID] ?? []
      var isComplete = true
      for (name, value) in state.values where !kept.contains(name) {
        if let attribute = entity.attributes[name] {
          object.setValue(try value.value(attribute.attributeType), forKey: name)
        } else if let relationship = entity.relationships[name],
          let other = relationship.destinationEntity?.name
        {
          let ids = try value.identifiers(relationship)
          let others = ids.compactMap { found[other]?[$0] }
          object.setValue(relationship.isToMany ? Set(others) : others.first, forKey: name)
          let missing = ids.filter { found[other]?[$0] == nil && local.deleted[$0] == nil }
          isComplete = isComplete && missing.isEmpty
        }
      }
      object.sharedRevision = state.version
      if isComplete {
        progress.incomplete.remove(state.id)
      } else {
        progress.incomplete.insert(state.id)
      }
    }
    var count = applied.count
    for (id, entity) in deleted {
      progress.incomplete.remove(id)
      guard let object = found[entity]?[id] else { continue }
      context.delete(object)
      count += 1
    }
    return count
  }

  /// Returns the store's objects that the states are about or refer to.
  private func present(
    in context: NSManagedObjectContext
  ) throws -> [String: [UUID: NSManagedObject]] {
    var ids: [String: Set<UUID>] = [:]
    for state in objects {
      guard let entity = SharedModel.entities[state.entity] else { continue }
      ids[state.entity, default: []].insert(state.id)
      for (name, relationship) in entity.relationships {
        guard let other = relationship.destinationEntity?.name, let value = state.values[name]
        else { continue }
        ids[other, default: []].formUnion(try value.identifiers(relationship))
      }
    }
    for (id, entity) in deleted { ids[entity, default: []].insert(id) }
    var found: [String: [UUID: NSManagedObject]] = [:]
    for (name, ids) in ids {
      found[name] = try SharedModel.entities[name]?.objects(ids, in: context)
    }
    return found
  }
}
