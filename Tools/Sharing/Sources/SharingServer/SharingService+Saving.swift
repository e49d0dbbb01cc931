import Foundation
import MomKit
import SharedModel

extension SharingService {
  /// Saves all of a question's changes, or none.
  ///
  /// A change that is based on another version than the database's is a conflict, unless it changes nothing: a save
  /// that is repeated because its answer got lost succeeds again.
  func save(_ question: SaveQuestion) async throws -> SaveAnswer {
    let plan = try SavePlan(question)
    var attempt = 1
    while true {
      do {
        return try await attemptSave(plan)
      } catch let error as NSError where Self.isRace(error) && attempt < Limits.attempts {
        // Another request was faster. What it saved is a conflict now, or has nothing to do with this one.
        attempt += 1
        try await Task.sleep(for: .milliseconds(Int.random(in: 1...20) * attempt))
      }
    }
  }

  private static func isRace(_ error: NSError) -> Bool {
    [
      NSManagedObjectMergeError, NSManagedObjectConstraintMergeError,
      NSManagedObjectReferentialIntegrityError, NSPersistentStoreSaveConflictsError,
    ].contains(error.code)
  }

  private func attemptSave(_ plan: SavePlan) async throws -> SaveAnswer {
    let context = makeContext()
    context.transactionAuthor = plan.client
    context.name = plan.push.uuidString
    return try await context.perform {
      var objects: [String: [UUID: NSManagedObject]] = [:]
      for (name, identifiers) in plan.identifiers {
        objects[name] = try SharedModel.entities[name]?.objects(identifiers, in: context)
      }
      let conflicts = Self.conflicts(plan, objects)
      guard conflicts.isEmpty else { throw Refusal(conflicts: conflicts) }

      for change in plan.changes where objects[change.entity.name]?[change.id] == nil {
        let object = NSManagedObject(entity: change.entity.entity, insertInto: context)
        object.setValue(change.id, forKey: SharedEntity.identifierKey)
        objects[change.entity.name, default: [:]][change.id] = object
      }
      for change in plan.changes {
        guard let object = objects[change.entity.name]?[change.id] else { continue }
        try Self.apply(change, to: object, objects)
      }
      for deletion in plan.deletions {
        guard let object = objects[deletion.entity.name]?[deletion.id] else { continue }
        context.delete(object)
      }
      Self.countRevisions(context)
      if context.hasChanges { try context.save() }
      return SaveAnswer(
        saved: plan.changes.compactMap { change in
          objects[change.entity.name]?[change.id].flatMap { change.entity.state($0) }
        })
    }
  }

  /// Returns the objects that others have changed or deleted, in the plan's order.
  private static func conflicts(
    _ plan: SavePlan, _ objects: [String: [UUID: NSManagedObject]]
  ) -> [ErrorAnswer.Conflict] {
    var conflicts: [ErrorAnswer.Conflict] = []
    var seen: Set<UUID> = []
    func add(_ entity: SharedEntity, _ id: UUID, _ object: NSManagedObject?) {
      guard seen.insert(id).inserted else { return }
      conflicts.append(
        .init(entity: entity.name, id: id, object: object.flatMap { entity.state($0) }))
    }
    let isNew = Set(plan.changes.filter(\.isNew).map(\.id))
    let isDeleted = Set(plan.deletions.map(\.id))
    for change in plan.changes {
      if let object = objects[change.entity.name]?[change.id] {
        let isStale = change.isNew || object.sharedRevision != change.version
        if isStale, !isSame(change, object) { add(change.entity, change.id, object) }
      } else if !change.isNew {
        add(change.entity, change.id, nil)
      }
      for (name, identifiers) in change.related {
        guard let other = change.entity.relationships[name]?.destinationEntity?.name,
          let entity = SharedModel.entities[other]
        else { continue }
        for id in identifiers.sorted(by: { $0.uuidString < $1.uuidString })
        where isDeleted.contains(id) || objects[other]?[id] == nil && !isNew.contains(id) {
          add(entity, id, nil)
        }
      }
    }
    for deletion in plan.deletions {
      guard let object = objects[deletion.entity.name]?[deletion.id],
        object.sharedRevision != deletion.version
      else { continue }
      add(deletion.entity, deletion.id, object)
    }
    return conflicts
  }

  /// Whether the object has all the values of the change.
  private static func isSame(_ change: SavePlan.Change, _ object: NSManagedObject) -> Bool {
    change.values.allSatisfy { name, value in
      let present = change.entity.value(of: name, in: object)
      if let attribute = change.entity.attributes[name] {
        // 1 and 1.0 are the same double.
        let type = attribute.attributeType
        return (try? WireValue(value.value(type), type)) == present
      }
      let identifiers = Set((change.related[name] ?? []).map(\.uuidString))
      switch present {
      case .list(let members): return Set(members) == Set(identifiers.map { .string($0) })
      case .string(let text): return identifiers == [text]
      default: return identifiers.isEmpty
      }
    }
  }

  private static func apply(
    _ change: SavePlan.Change, to object: NSManagedObject,
    _ objects: [String: [UUID: NSManagedObject]]
  ) throws {
    guard !isSame(change, object) else { return }
    for (name, value) in change.values {
      if let attribute = change.entity.attributes[name] {
        object.setValue(try value.value(attribute.attributeType), forKey: name)
      } else if let relationship = change.entity.relationships[name],
        let other = relationship.destinationEntity?.name
      {
        let others = (change.related[name] ?? []).compactMap { objects[other]?[$0] }
        object.setValue(relationship.isToMany ? Set(others) : others.first, forKey: name)
      }
    }
  }

  /// Counts a revision of each object of which something changes that travels. Among them may be objects that the
  /// client doesn't know: notes of a site that it deletes.
  private static func countRevisions(_ context: NSManagedObjectContext) {
    context.processPendingChanges()
    for object in context.insertedObjects.union(context.updatedObjects) {
      guard let name = object.entity.name, let entity = SharedModel.entities[name],
        object.isInserted || !entity.propertyNames.isDisjoint(with: object.changedValues().keys)
      else { continue }
      object.sharedRevision += 1
    }
  }
}
