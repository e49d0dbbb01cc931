import Foundation

/// Conflict resolution during a save: with other writers, and with uniqueness constraints.
extension NSManagedObjectContext {
  /// Writes changes, and resolves conflicts repeatedly while other writers cause new ones.
  ///
  /// - Parameter whenWritten: called once something is written, before any observer is notified.
  final func writeResolvingConflicts(
    _ pending: ChangedObjects, whenWritten: (SavedObjects) -> Void
  ) throws {
    var pending = pending
    // The save and the merge policy work with the stores' current state, whichever query generation the context reads
    // otherwise.
    let choice = generationChoice
    defer { generationChoice = choice }
    // Resolution may run into other writers again; the bound keeps two programs from doing so forever.
    for attempt in 0..<16 {
      do {
        return try source.save(pending, whenWritten: whenWritten)
      } catch let conflicts as SaveConflicts {
        generationChoice = .unpinned
        // Conflicts that can't be resolved are reported to the program, whatever its policy is.
        try resolve(conflicts, isLast: attempt == 15)
        pending = try changesAfterResolving(pending)
      }
    }
    throw CoreDataError.make(NSManagedObjectMergeError, "Could not merge changes.")
  }

  /// Lets the merge policy resolve the conflicts a store reported.
  ///
  /// - Parameter isLast: whether this was the last attempt to save, so that the conflicts are thrown.
  private final func resolve(_ conflicts: SaveConflicts, isLast: Bool) throws {
    let policy = isLast ? .error : mergePolicy as? NSMergePolicy ?? .error
    // What other conflicts there are is resolved first: their objects may lose these references.
    if conflicts.versions.isEmpty, conflicts.constraints.isEmpty,
      let error = CoreDataError.combined(conflicts.references)
    {
      throw error
    }
    for conflict in conflicts.versions where conflict.row != nil { returnToRow(conflict.object) }
    var list: [Any] = conflicts.versions.map { NSMergeConflict($0.object, row: $0.row) }
    // After merging with newer rows, objects may clash no more, or with other rows; an error lists all conflicts.
    let settlesVersionsFirst = !list.isEmpty && policy.mergeType != .errorMergePolicyType
    let sink = ObjectSink(self)
    for clash in settlesVersionsFirst ? [] : conflicts.constraints {
      guard let first = clash.objects.first else { continue }
      // Several objects of one save resolve the conflict among themselves first; the row is considered in the next
      // attempt.
      guard let row = clash.row, clash.objects.count == 1 else {
        list.append(NSConstraintConflict(clash.objects, constraint: clash.constraint))
        continue
      }
      let id = NSManagedObjectID(
        layout: row.layout, store: first.identity.storeReference, key: row.key)
      guard let present = object(id, of: row, by: sink) else { continue }
      list.append(
        NSConstraintConflict(
          first, constraint: clash.constraint, database: present, row: row))
    }
    // The merge can't be undone on its own: the rows would clash again.
    let undoManager = undoManager?.isUndoRegistrationEnabled == true ? undoManager : nil
    undoManager?.disableUndoRegistration()
    defer { undoManager?.enableUndoRegistration() }
    try policy.resolve(mergeConflicts: list)
    processPendingChanges()
  }

  /// Makes an object whose row was to be written again an ordinary changed one: another writer has written the row.
  private final func returnToRow(_ object: NSManagedObject) {
    guard object.awaitsInsertion else { return }
    object.state.remove(.inserted)
    object.state.insert(.updated)
    inserted.removeAll { $0 === object }
    updated.append(object)
    unsaved.index = nil
    // What it had before its row was deleted isn't known any longer.
    object.committed = object.layout.defaultValues
  }

  /// The object of a row that a save has met.
  private final func object(
    _ id: NSManagedObjectID, of row: StoredRow, by sink: ObjectSink
  ) -> NSManagedObject? {
    // An earlier query generation may not have had the row.
    if let known = registered(id), known.state.contains(.inaccessible) { revive(known) }
    sink.begin(id.storeReference)
    if let slot = sink.beginRow(of: row.layout, key: row.key, version: row.version) {
      sink.fill(slot, with: row.values)
    }
    guard let object = registered(id) else { return nil }
    if object.isFault { object.awaken() }
    return object
  }

  /// The changes to save after conflicts were resolved. Objects that the policy or an observer changed meanwhile are
  /// prepared like all others; everything is validated again.
  private final func changesAfterResolving(_ before: ChangedObjects) throws -> ChangedObjects {
    var known = Set<ObjectIdentifier>(minimumCapacity: before.count)
    for list in [before.inserted, before.updated, before.deleted] {
      list.visit { known.insert(ObjectIdentifier($0)) }
    }
    // An object in the place of one that is gone is another one.
    var newcomers: [NSManagedObject] = []
    defer { withExtendedLifetime((before, newcomers)) {} }
    for _ in 0..<Self.mostRounds {
      processPendingChanges()
      propagateDeletions()
      processPendingChanges()
      let pending = pendingChanges()
      let first = newcomers.count
      for list in [pending.inserted, pending.updated, pending.deleted] {
        list.visit { if known.insert(ObjectIdentifier($0)).inserted { newcomers.append($0) } }
      }
      if newcomers.count == first {
        try validate(pending)
        // Validation may correct values, with the same ones each time it runs.
        let corrected = event.isEmpty ? pending : try changesAfterValidation(of: pending)
        if parent == nil { try assignPermanentIDs(corrected) }
        return corrected
      }
      for object in newcomers[first...] where object.isOf(self) { object.willSave() }
    }
    neverSettles()
  }

  // MARK: Losing objects

  /// Removes an object that lost a conflict, without applying its delete rules. The ID of an object that was never
  /// saved refers to the survivor from now on.
  final func dismiss(_ loser: NSManagedObject, for survivor: NSManagedObject) {
    guard loser.isOf(self), !loser.awaitsDeletion else { return }
    if loser.state.contains(.inserted) {
      loser.identity.setSuccessor(survivor.identity)
      undoLacksSides = true
    } else {
      loser.prepareForDeletion()
      guard loser.isOf(self), !loser.awaitsDeletion else { return }
    }
    loser.state.formUnion([.deleted, .propagated])
    deleted.append(loser)
    event.deleted.append(loser)
  }
}
