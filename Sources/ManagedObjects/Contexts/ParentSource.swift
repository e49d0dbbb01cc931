import ManagedModel

/// A parent context as the source of a context's rows: it adds its own unsaved changes.
struct ParentSource: RowSource {
  let parent: NSManagedObjectContext

  func fetch(_ query: RowQuery, into sink: any RowSink) throws -> Bool {
    let request = NSFetchRequest<NSManagedObject>()
    request.entity = query.layout.entity
    request.includesSubentities = query.includesSubentities
    request.predicate = query.predicate
    request.sortDescriptors = query.sortDescriptors
    request.fetchLimit = query.limit
    request.fetchOffset = query.offset
    try parent.performAndWait { pass(try parent.fetchObjects(request), to: sink) }
    return true
  }

  func fetchRow(_ id: NSManagedObjectID, into sink: any RowSink) throws -> Bool {
    parent.performAndWait {
      guard let object = try? parent.existingObject(with: id), !object.isDeleted else {
        return false
      }
      pass([object], to: sink)
      return true
    }
  }

  func fetchDestinations(
    of id: NSManagedObjectID, _ property: PropertyLayout, into sink: any RowSink
  ) throws {
    parent.performAndWait {
      let object = parent.object(with: id)
      pass(object.loadedMembers(property).objects.filter { !$0.isDeleted }, to: sink)
    }
  }

  private func pass(_ objects: [NSManagedObject], to sink: any RowSink) {
    for object in objects {
      let id = object.identity
      sink.begin(id.storeReference)
      guard sink.wantsValues(of: id.layout, key: id.key, version: object.version) else { continue }
      object.wake()
      sink.take(object.values)
    }
  }

  func obtainLastingKeys(for objects: [NSManagedObject]) throws -> [LastingKeys] {
    try parent.performAndWait { try parent.source.obtainLastingKeys(for: objects) }
  }

  /// Makes the changes in the parent, where they wait for its own save.
  func save(_ changes: StoreChanges) throws {
    parent.performAndWait {
      for object in changes.inserted {
        let copy = ObjectSeed.grow(object.layout, identity: object.identity, context: parent)
        copy.state = [.inserted, .insertedInEvent, .changedInEvent]
        copy.values = object.values
        parent.identityMap[copy.identity] = copy
        parent.inserted.append(copy)
        parent.event.inserted.append(copy)
      }
      for object in changes.updated {
        let copy = parent.object(with: object.identity)
        copy.willChange()
        for property in object.layout.values where object.hasChanged(property) {
          copy.replaceValue(at: property.slot, by: object.currentValue(at: property.slot))
          copy.state.insert(.hasLooseEnds)
        }
      }
      for object in changes.inserted + changes.updated { copyToManys(of: object) }
      for object in changes.deleted { parent.delete(parent.object(with: object.identity)) }
      parent.processPendingChanges()
    }
  }

  /// Both sides of a relationship are among the changes, so the inverses need no upkeep.
  private func copyToManys(of object: NSManagedObject) {
    let copy = parent.object(with: object.identity)
    for property in object.layout.toManys where !object.membersBySlot.isEmpty {
      guard let members = object.membersBySlot[property.slot], members.hasChanges else { continue }
      if members.isLoaded {
        copy.loadedMembers(property).replace(
          with: members.objects.map { parent.object(with: $0.identity) })
      } else {
        let kept = copy.members(property)
        for target in members.removed { kept.remove(parent.object(with: target)) }
        for target in members.added { kept.append(parent.object(with: target.identity)) }
      }
    }
  }
}
