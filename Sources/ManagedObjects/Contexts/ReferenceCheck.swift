import DataModels

/// Checks that the relationships a save is about to write refer to objects that will exist: not to objects that the
/// same save deletes, not to objects that were deleted before they were ever saved, not to objects in another store,
/// and not to objects of another entity, which inverses that don't match can lead to.
///
/// Only newly set relationships are checked. Saved ones may dangle, which the "no action" delete rule permits. Most
/// saves can't have such errors, and no object is visited then.
struct ReferenceCheck {
  private let context: NSManagedObjectContext
  /// The coordinator, if it has several stores to distinguish.
  private let coordinator: NSPersistentStoreCoordinator?
  private let checksDeletions: Bool
  /// Whether the model has inverses that may lead to objects of other entities.
  private let checksEntities: Bool
  /// The store of the last new object's entity: adjacent objects mostly go to the same one.
  private var lastStore: (layout: ObjectIdentifier, store: StoreReference?)?
  /// Relationships that refer to deleted objects.
  private(set) var dangling: [any Error] = []
  /// The first relationship that refers to another store.
  private(set) var external: (any Error)?

  /// Checks what is about to be saved.
  init(_ changes: ChangedObjects, in context: NSManagedObjectContext) {
    self.context = context
    checksDeletions =
      !context.saveDoubts.isDisjoint(
        with: [.cancelledInsertions, .vanishedObjects, .undoneReferences, .unattachedObjects])
      || !changes.deleted.isEmpty
    // A parent context is responsible for its own stores.
    let coordinator = context.parent == nil ? context.persistentStoreCoordinator : nil
    self.coordinator = coordinator.flatMap { $0.persistentStores.count > 1 ? $0 : nil }
    checksEntities = context.modelLayout?.admitsStrangers == true
    guard checksDeletions || checksEntities || self.coordinator != nil else { return }
    changes.inserted.visit { check($0) }
    changes.updated.visit { check($0) }
  }

  private mutating func check(_ object: NSManagedObject) {
    for property in object.layout.toOnes where !property.isTransient {
      guard case .reference(let id) = object.currentValue(at: property.slot) else { continue }
      if let before = object.committedValue(at: property.slot).reference, before.isSame(as: id) {
        continue
      }
      // An object of another context that has got a permanent ID is still registered here by the temporary one.
      let target = context.identityMap[id.successor ?? id] ?? context.identityMap[id]
      check(id, target: target, of: object, property: property)
    }
    guard object.hasTouchedToManys else { return }
    for property in object.layout.toManys where !property.isTransient {
      guard let members = object.membersBySlot[property.slot], mayBeWrong(members, property),
        members.hasChanges
      else { continue }
      for target in members.added {
        check(target.identity, target: target, of: object, property: property)
      }
    }
  }

  /// Whether finding out which members are new is worthwhile.
  private func mayBeWrong(_ members: ToManyMembers, _ property: PropertyLayout) -> Bool {
    if checksEntities, property.admitsStrangers { return true }
    if checksDeletions, !context.unusedIdentities.isEmpty { return true }
    if coordinator != nil, !property.inverseIsToOne { return true }
    let present = members.isLoaded ? members.objects : members.added
    return checksDeletions
      && present.contains {
        $0.awaitsDeletion || !$0.isOf(context) || $0.isTemporary && !$0.state.contains(.inserted)
      }
  }

  private mutating func check(
    _ id: NSManagedObjectID, target: NSManagedObject?, of object: NSManagedObject,
    property: PropertyLayout
  ) {
    if checksDeletions, !isThere(id, target) {
      dangling.append(
        CoreDataError.validation(
          NSManagedObjectValidationError, CoreDataError.danglingText, object: object,
          key: property.name, value: target ?? id))
      return
    }
    if checksEntities, property.admitsStrangers, let destination = property.destination,
      !id.layout.isKind(of: destination)
    {
      dangling.append(
        CoreDataError.validation(
          NSManagedObjectValidationError,
          "\(object.layout.name).\(property.name) refers to an object of the entity '\(id.layout.name)', and its "
            + "destination is '\(destination.name)': it is the inverse of a relationship that it doesn't match.",
          object: object, key: property.name, value: target ?? id))
      return
    }
    // In a one-to-many relationship, the other side is what is written.
    guard external == nil, coordinator != nil, !(property.isToMany && property.inverseIsToOne),
      let own = store(of: object),
      let other = (id.successor ?? id).storeReference ?? target.flatMap({ store(of: $0) }),
      own !== other
    else { return }
    external = CoreDataError.validation(
      NSManagedObjectExternalRelationshipError,
      "\(object.layout.name).\(property.name) refers to an object in another store.",
      object: object, key: property.name, value: target ?? id)
  }

  private func isThere(_ id: NSManagedObjectID, _ target: NSManagedObject?) -> Bool {
    if !context.unusedIdentities.isEmpty, target?.state.contains(.inserted) != true,
      context.unusedIdentities.contains(id.successor ?? id)
    {
      return false
    }
    if let target {
      guard !target.awaitsDeletion, target.context === context else { return false }
      if target.isFault, !target.isTemporary { return isStored(id) }
      return !target.isTemporary || target.state.contains(.inserted) || id.successor != nil
        || context.parent.map { Self.awaits(id, in: $0) } == true
    }
    // The object wasn't read here: it is a row of the store, or a new object of the parent.
    guard !id.isTemporary || id.successor != nil else {
      return context.parent.map { Self.awaits(id, in: $0) } == true
    }
    return isStored(id)
  }

  /// Whether a row is there, if undo may have led to one that isn't.
  private func isStored(_ id: NSManagedObjectID) -> Bool {
    guard context.saveDoubts.contains(.undoneReferences) else { return true }
    // If it can't be read, saving fails anyway.
    return (try? context.source.fetchRow(id.successor ?? id, into: RowCollector())) ?? true
  }

  /// Whether a context or one of its ancestors has an unsaved object with an ID.
  static func awaits(_ id: NSManagedObjectID, in context: NSManagedObjectContext) -> Bool {
    var next: NSManagedObjectContext? = context
    while let context = next {
      let (isKnown, isNew) = context.performAndWait {
        let object = context.identityMap[id.successor ?? id]
        return (
          object.map { !$0.awaitsDeletion } ?? false, object?.state.contains(.inserted) ?? false
        )
      }
      if isKnown, isNew { return true }
      next = context.parent
    }
    return false
  }

  /// The store an object is in, or will be in.
  private mutating func store(of object: NSManagedObject) -> StoreReference? {
    if let known = object.storeReference { return known }
    if object.scratch == nil, let lastStore, lastStore.layout == object.layout.id {
      return lastStore.store
    }
    // If no store accepts the object, the save fails when it assigns IDs.
    let store = coordinator.flatMap { coordinator in
      coordinator.locked { try? coordinator.storeForInsertion(of: object) }
    }?.reference
    if object.scratch == nil { lastStore = (object.layout.id, store) }
    return store
  }
}
