import MomKit

/// What a save that succeeds promises: the values that the program had changed are, as its objects show them then, those
/// of the store, or, of a child context, those of the parent's objects; and what it deleted is gone.
struct SavePromise {
  private let stack: Stack
  private let context: Int
  private let comparesMembers: Bool
  private var changed: [(object: NSManagedObject, keys: Set<String>)] = []
  private var deleted: [NSManagedObject] = []
  /// The destinations that were set, if this context's changes win over others'.
  private var references: [(object: NSManagedObject, key: String, target: NSManagedObject)] = []

  /// To be made on the context's queue, before it saves.
  ///
  /// - Parameter hasUntoldChanges: whether a batch has changed rows, of which objects may not know.
  init(
    _ stack: Stack, _ context: NSManagedObjectContext, _ index: Int, hasUntoldChanges: Bool
  ) {
    self.stack = stack
    self.context = index
    comparesMembers = stack.contexts.count == 1 && !hasUntoldChanges
    context.processPendingChanges()
    deleted = Array(context.deletedObjects)
    // Handlers may set back what the program has changed, so that there is nothing to save, or change it again.
    guard stack.program.customs?.handlers.isEmpty != false else { return }
    let inserted = context.insertedObjects.map { ($0, Set($0.entity.propertiesByName.keys)) }
    let updated = context.updatedObjects.map { ($0, Set($0.changedValues().keys)) }
    changed = (inserted + updated).filter { !$0.0.isDeleted }.map { object, keys in
      let entity = object.entity.name ?? ""
      // A deletion that waits for the save clears what leads to it: there may be nothing to save then.
      let kept = keys.filter { key in
        guard object.isUpdated, object.entity.relationshipsByName[key]?.isToMany == false else {
          return true
        }
        return (object.value(forKey: key) as? NSManagedObject)?.isDeleted != true
      }
      return (object, kept.filter { stack.plan.attribute($0, of: entity)?.isTransient != true })
    }.filter { !$0.1.isEmpty }
    let setup = stack.setup.contexts[index]
    guard setup.policy == .overwrite || setup.policy == .objectTrump, setup.parent == nil else {
      return
    }
    for (object, keys) in changed {
      for key in keys.sorted() where object.entity.relationshipsByName[key]?.isToMany == false {
        guard let target = object.value(forKey: key) as? NSManagedObject, !target.isDeleted else {
          continue
        }
        references.append((object, key, target))
      }
    }
  }

  /// To be called after the save has succeeded.
  func check(at step: Int) -> Failure? {
    do {
      let mine = stack.within(context) { _ in
        changed.filter { $0.object.managedObjectContext === stack.contexts[context] }.filter {
          !$0.object.isDeleted && !$0.object.hasChanges
        }.map { ($0.object.objectID, GraphState.object($0.object, stack.plan), $0.keys) }
      }.map { (uriAbove($0), $1, $2) }
      let gone = stack.within(context) { context in
        deleted.filter { context.registeredObject(for: $0.objectID) !== $0 }.map(GraphState.uri)
      }
      let theirs = try above()
      for (uri, object, keys) in mine {
        guard let other = theirs.objects[uri] else {
          // A stamp may set back what the program had changed, and others' changes may have led members elsewhere: then
          // there was nothing to save.
          // A parent may have deleted an object of which a child has only cleared references.
          let isChild = stack.setup.contexts[context].parent != nil
          let members = Set(
            stack.plan.relationships(of: object.entity).filter {
              $0.isToMany || isChild && object.toOnes[$0.name] == nil
            }.map(\.name))
          // An object that the parent has dropped has no lasting identity. One that it has deleted was reached by its rules.
          guard !isChild || !deletedAbove().contains(uri) else { continue }
          guard stack.plan.stamp(of: object.entity) == nil, !keys.isSubset(of: members),
            keys.contains(ModelPlan.serial) || !uri.hasPrefix("x-coredata:///")
          else { continue }
          return Failure(kind: "saved and not stored", step: step, text: "\(object.entity) \(uri)")
        }
        if let key = difference(object, other, keys) {
          return Failure(
            kind: "saved otherwise", step: step,
            text: "\(key) of \(uri)\nhere  \(object)\nthere \(other)")
        }
      }
      if let found = danglingReference(mine.map { ($0.1, $0.2) }, Set(gone), theirs) {
        return Failure(kind: "saved a reference to nothing", step: step, text: found)
      }
      if let found = lostReference(theirs) {
        return Failure(kind: "saved without a reference", step: step, text: found)
      }
      for uri in gone where theirs.objects[uri] != nil {
        return Failure(kind: "deleted and still stored", step: step, text: uri)
      }
      return nil
    } catch {
      return Failure(kind: "reading what was saved", step: step, text: "\(error)")
    }
  }

  /// The first of the changed relationships that leads to what isn't stored. Others may have led the object to what the save
  /// deletes; where no rule says otherwise, a deletion leaves that, and so does a policy by which the change gives way.
  private func danglingReference(
    _ saved: [(object: GraphState.Object, keys: Set<String>)], _ gone: Set<String>,
    _ stored: GraphState
  ) -> String? {
    let setup = stack.setup.contexts[context]
    guard setup.parent == nil else { return nil }
    let givesWay = setup.policy == .storeTrump || setup.policy == .rollback
    for (object, keys) in saved {
      for key in keys.sorted() where isKeptInStep(key) || !givesWay {
        if let target = object.toOnes[key], stored.objects[target] == nil,
          !gone.contains(target) || isKeptInStep(key)
        {
          return "\(key) of \(object.entity) leads to \(target)"
        }
      }
    }
    return nil
  }

  /// The first destination that was set and isn't stored, although both rows are.
  ///
  /// A survivor takes over what a loser led to, in place of its own; if that has lost to the survivor, too, nothing is left:
  /// it would lead to itself.
  private func lostReference(_ stored: GraphState) -> String? {
    let lost = stack.within(context) { context in
      func isThere(_ object: NSManagedObject) -> Bool {
        object.managedObjectContext === context && !object.isDeleted
      }
      let takenOver = Set(
        references.filter { !isThere($0.object) && !isThere($0.target) }.map(\.key))
      return references.filter {
        isThere($0.object) && isThere($0.target) && !takenOver.contains($0.key)
      }.map { (GraphState.uri($0.object), $0.key, GraphState.uri($0.target)) }
    }
    for (uri, key, target) in lost {
      guard let object = stored.objects[uri], stored.objects[target] != nil,
        object.toOnes[key] == nil
      else { continue }
      // The destination of a one-to-one relationship may have been given to another object.
      let isTaken = stored.objects.values.contains { $0.toOnes[key] == target }
      if !isTaken { return "\(key) of \(uri) doesn't lead to \(target)" }
    }
    return nil
  }

  /// The first of the changed properties that differs. Members that other objects' changes brought aren't the object's
  /// own: they are compared only where nobody else writes.
  private func difference(
    _ mine: GraphState.Object, _ theirs: GraphState.Object, _ keys: Set<String>
  ) -> String? {
    let stamp = stack.plan.stamp(of: mine.entity)
    // What has no lasting identity here may have one above, or have lost to an object that is there in its place.
    let isChild = stack.setup.contexts[context].parent != nil
    func isAbove(_ key: String) -> Bool {
      isChild && mine.toOnes[key]?.hasPrefix("x-coredata:///") == true && theirs.toOnes[key] != nil
    }
    return keys.sorted().first { key in
      key != stamp && mine.attributes[key] != theirs.attributes[key]
        || mine.toOnes[key] != theirs.toOnes[key] && !isAbove(key)
        || comparesMembers && isKeptInStep(key)
          && mine.toManys[key] != theirs.toManys[key]
    }
  }

  /// Whether deletions change a relationship's members at once. The others show what was deleted until they are read
  /// again.
  private func isKeptInStep(_ key: String) -> Bool {
    guard let relationship = stack.plan.relationship(key),
      let inverse = stack.plan.inverse(of: relationship)
    else { return false }
    return relationship.rule != .noAction && inverse.rule != .noAction
  }

  /// What the parent calls an object, which may have saved it meanwhile: a child learns of that when it looks.
  private func uriAbove(_ id: NSManagedObjectID) -> String {
    let uri = id.uriRepresentation().absoluteString
    guard let parent = stack.setup.contexts[context].parent else { return uri }
    return stack.within(parent) { $0.registeredObject(for: id).map(GraphState.uri) } ?? uri
  }

  /// The objects that the parent has deleted.
  private func deletedAbove() -> Set<String> {
    guard let parent = stack.setup.contexts[context].parent else { return [] }
    return stack.within(parent) { Set($0.deletedObjects.map(GraphState.uri)) }
  }

  /// What the stores have, or the parent.
  private func above() throws -> GraphState {
    let setup = stack.setup.contexts[context]
    guard let parent = setup.parent else {
      return try GraphState.stored(stack.coordinators[setup.coordinator], stack.plan)
    }
    return stack.within(parent) { parent in
      var state = GraphState()
      for object in parent.registeredObjects where !object.isDeleted && object.hasChanges {
        state.objects[GraphState.uri(object)] = GraphState.object(object, stack.plan)
      }
      return state
    }
  }
}
