import MomKit

/// Performs operations.
extension Stack {
  func perform(_ operation: Operation, expecting expectation: Expectation) -> Outcome {
    do {
      if isRemote(operation.context) { return try performRemotely(operation, expectation) }
      if case .evolve(_, let evolution) = operation {
        try evolve(evolution)
        return .done
      }
      if case .fetch(let c, let plan) = operation, plan.isAsynchronous {
        return try fetchAsynchronously(plan, c)
      }
      return try within(operation.context) { context in
        guard case .look(let c) = operation, case .shows(let views) = expectation else {
          return try perform(operation, context, operation.context)
        }
        return .showed(try self.views(c, views.keys.sorted()))
      }
    } catch {
      return Outcome(error)
    }
  }

  private func perform(
    _ operation: Operation, _ context: NSManagedObjectContext, _ c: Int
  ) throws -> Outcome {
    switch operation {
    case .insert(_, let name, let entity, let values):
      try insert(name, entity, values, context, c)
    case .set(_, let name, let key, let number):
      let object = try object(name, c, having: key)
      let kind = plan.attribute(key, of: object.entity.name ?? "")?.kind
      set(number.flatMap { kind?.value($0) }, key, of: object, way: name + (number ?? 0))
    case .point(_, let name, let key, let target):
      let object = try object(name, c, having: key)
      object.setValue(try target.map { try goal($0, c, of: key, from: object) }, forKey: key)
    case .add(_, let name, let key, let member):
      let object = try object(name, c, having: key)
      add(try goal(member, c, of: key, from: object), to: object, key, way: name + member)
    case .remove(_, let name, let key, let member):
      try remove(object(member, c), from: object(name, c, having: key), key, way: name + member)
    case .replace(_, let name, let key, let members):
      let object = try object(name, c, having: key)
      let objects = try members.map { try goal($0, c, of: key, from: object) }
      let isOrdered = plan.relationship(key)?.isOrdered == true
      object.setValue(
        isOrdered ? NSOrderedSet(array: objects) : NSSet(array: objects), forKey: key)
    case .delete(_, let name): context.delete(try object(name, c))
    case .settle:
      insertLate(context, c)
      context.processPendingChanges()
    case .save:
      defer { learnIdentities(c) }
      try context.save()
      // What undoing across saves comes to isn't specified; what always holds must hold all the same.
      if !program.isOpen { context.undoManager?.removeAllActions() }
      holdInParent(c)
    case .rollback: context.rollback()
    case .reset:
      context.reset()
      held[c] = [:]
      late[c] = nil
      try refetch(c)
    case .refreshAll: context.refreshAllObjects()
    case .refresh(_, let name, let merging):
      let object = try object(name, c)
      let isCancelled = object.isInserted && !merging
      context.refresh(object, mergeChanges: merging)
      if isCancelled { (held[c][name], takenBack[c][name]) = (nil, object) }
    case .undo: context.undo()
    case .redo: context.redo()
    case .obtainIDs:
      // By their serials: the set's order depends on addresses.
      let objects = context.insertedObjects.sorted {
        ($0.value(forKey: ModelPlan.serial) as? Int ?? 0)
          < ($1.value(forKey: ModelPlan.serial) as? Int ?? 0)
      }
      try context.obtainPermanentIDs(for: objects)
      learnIdentities(c)
    case .merge(let source, _):
      if let notification = lastSaves.byContext[source] {
        context.mergeChanges(fromContextDidSave: notification)
      }
    case .pin: try context.setQueryGenerationFrom(.current)
    case .unpin: try context.setQueryGenerationFrom(nil)
    case .reopen: try reopen(setup.contexts[c].coordinator % coordinators.count)
    case .setMetadata(_, let number):
      setMetadata(number, coordinators[setup.contexts[c].coordinator % coordinators.count])
    case .look, .evolve: break
    case .rare(_, let step):
      try perform(step, context, c)
      learnIdentities(c)
    case .existing(_, let name):
      let found = try context.existingObject(with: identity(name, c))
      hold(found, name, c)
      return .found([name])
    case .fetch(_, let plan): return try fetch(plan, context, c)
    case .select(_, let plan): return try select(plan, context, c)
    case .under(_, let operation): return try perform(operation, context, c)
    case .batchInsert(_, let entity, let rows, let merging):
      return try batchInsert(c, entity, rows, merging: merging)
    case .batchUpdate(_, let entity, let condition, let key, let value, let merging):
      return try batchUpdate(c, entity, condition, key, value, merging: merging)
    case .batchDelete(_, let entity, let condition, let merging):
      return try batchDelete(c, entity, condition, merging: merging)
    }
    return .done
  }

  // MARK: Objects

  func hold(_ object: NSManagedObject, _ name: ObjectName, _ c: Int) {
    held[c][name] = object
    if !object.objectID.isTemporaryID { names[object.objectID.uriRepresentation()] = name }
  }

  /// An object of a context.
  func object(_ name: ObjectName, _ c: Int) throws -> NSManagedObject {
    if let object = held[c][name] {
      if object.managedObjectContext === contexts[c] { return fired(object) }
      if late[c]?.contains(where: { $0 === object }) == true { return object }
    }
    let object = fired(contexts[c].object(with: try identity(name, c)))
    // Nothing may be related to what has lost its context.
    guard object.managedObjectContext === contexts[c] else {
      throw Impossible("object \(name) is gone")
    }
    hold(object, name, c)
    return object
  }

  /// An object of a context that has a property: another object may have taken its place.
  private func object(
    _ name: ObjectName, _ c: Int, having key: String
  ) throws -> NSManagedObject {
    let object = try object(name, c)
    guard object.entity.propertiesByName[key] != nil else {
      throw Impossible("object \(name) has no \(key)")
    }
    return object
  }

  /// An object of a context that may be a relationship's destination. What isn't in the context yet can only be related to
  /// what isn't either.
  private func goal(
    _ name: ObjectName, _ c: Int, of key: String, from owner: NSManagedObject
  ) throws -> NSManagedObject {
    let object = try object(name, c)
    guard object.managedObjectContext === owner.managedObjectContext else {
      throw Impossible("objects \(name) and its owner aren't in one context")
    }
    guard let destination = plan.relationship(key)?.destination,
      plan.isKind(object.entity.name ?? "", of: destination)
    else { throw Impossible("object \(name) is no destination of \(key)") }
    return object
  }

  /// The object with its values loaded, so that they are those of the time when it was first named.
  func fired(_ object: NSManagedObject) -> NSManagedObject {
    if !object.isDeleted { _ = object.value(forKey: ModelPlan.serial) }
    return object
  }

  func identity(_ name: ObjectName, _ c: Int) throws -> NSManagedObjectID {
    guard let identity = identities[name] else { throw Impossible("object \(name) is unknown") }
    guard !identity.isTemporaryID, let coordinator = contexts[c].persistentStoreCoordinator else {
      return identity
    }
    let uri = identity.uriRepresentation()
    guard let here = coordinator.managedObjectID(forURIRepresentation: uri) else {
      throw Impossible("no identity for \(uri.path)")
    }
    return here
  }

  /// Records the object IDs that a save assigned.
  private func learnIdentities(_ c: Int) {
    // In order, as everywhere here: a survivor may have two names.
    for (name, object) in byName(held[c]) where object.managedObjectContext != nil {
      // The key may have belonged to another object, which was never saved.
      let uri = object.objectID.uriRepresentation()
      if !object.objectID.isTemporaryID, names[uri] != nil { names[uri] = name }
      learn(object.objectID, name)
    }
    for (name, known) in byName(identities) where known.isTemporaryID {
      // An object that a child inserted.
      if let object = contexts[c].registeredObject(for: known) { learn(object.objectID, name) }
    }
  }

  /// Records an object ID, unless it is the ID of an object that replaced this one.
  private func learn(_ identity: NSManagedObjectID, _ name: ObjectName) {
    let uri = identity.uriRepresentation()
    guard !identity.isTemporaryID, identities[name]?.isTemporaryID != false,
      names[uri, default: name] == name
    else { return }
    identities[name] = identity
    names[uri] = name
  }

  /// Retains the parent's objects that a child's save changed.
  private func holdInParent(_ c: Int) {
    guard let parent = setup.contexts[c].parent else { return }
    for (name, object) in byName(held[c]) where held[parent][name] == nil {
      let copy = within(parent) { $0.registeredObject(for: object.objectID) }
      guard let copy else { continue }
      let isPending = within(parent) { context in
        copy.isInserted || copy.isUpdated || context.deletedObjects.contains(copy)
      }
      if isPending { held[parent][name] = copy }
    }
  }

  /// The name of an object that the library returned.
  func name(of object: NSManagedObject, _ c: Int) throws -> ObjectName {
    try name(of: object.objectID)
      ?? {
        for (name, known) in byName(held[c]) where known === object { return name }
        for (name, known) in byName(takenBack[c]) where known === object { return name }
        guard let serial = object.value(forKey: ModelPlan.serial) as? NSNumber else {
          throw Impossible("an object of nobody: \(object.objectID.uriRepresentation().path)")
        }
        hold(object, serial.intValue, c)
        if identities[serial.intValue] == nil { identities[serial.intValue] = object.objectID }
        return serial.intValue
      }()
  }

  /// Entries in the order of the names: that of a dictionary differs from run to run.
  private func byName<Value>(_ entries: [ObjectName: Value]) -> [(key: ObjectName, value: Value)] {
    entries.sorted { $0.key < $1.key }
  }

  func name(of identity: NSManagedObjectID) -> ObjectName? {
    if !identity.isTemporaryID { return names[identity.uriRepresentation()] }
    return identities.filter { $0.value == identity }.keys.min()
  }
}

extension AttributeKind {
  /// The serial number of an object, which is its name.
  static func serial(_ name: ObjectName) -> NSNumber { NSNumber(value: name) }
}
