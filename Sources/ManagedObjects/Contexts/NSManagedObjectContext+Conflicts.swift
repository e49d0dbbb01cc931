import Foundation

/// Saving against other writers, and against what must be unique.
extension NSManagedObjectContext {
  /// Writes changes, resolving conflicts as often as other writers bring new ones.
  ///
  /// - Parameter whenWritten: called once something is written, before anybody else hears of it.
  final func writeResolvingConflicts(
    _ pending: ChangedObjects, whenWritten: (SavedObjects) -> Void
  ) throws {
    var pending = pending
    // What is saved meets the present state of the stores, and so does the merge policy, whichever state the
    // context reads else.
    let choice = generationChoice
    defer { generationChoice = choice }
    // Resolving may meet other writers again; a bound keeps two programs from doing so for ever.
    for attempt in 0..<16 {
      do {
        return try source.save(pending, whenWritten: whenWritten)
      } catch let conflicts as SaveConflicts {
        generationChoice = .unpinned
        // Conflicts that no resolving ends are the program's, whatever its policy is.
        try resolve(conflicts, isLast: attempt == 15)
        pending = try changesAfterResolving(pending)
      }
    }
    throw CoreDataError.make(NSManagedObjectMergeError, "Could not merge changes.")
  }

  /// Has the merge policy resolve what a store objected to.
  ///
  /// - Parameter isLast: whether no further attempt to save follows, so that the conflicts are thrown.
  private final func resolve(_ conflicts: SaveConflicts, isLast: Bool) throws {
    let policy = isLast ? .error : mergePolicy as? NSMergePolicy ?? .error
    var list: [Any] = conflicts.versions.map { NSMergeConflict($0.object, row: $0.row) }
    // What is merged with newer rows may clash no more, or with others; an error tells of all there is.
    let settlesVersionsFirst = !list.isEmpty && policy.mergeType != .errorMergePolicyType
    for clash in settlesVersionsFirst ? [] : conflicts.constraints {
      guard let first = clash.objects.first else { continue }
      // Several objects of one save settle it among themselves first; the row comes next time.
      guard let row = clash.row, clash.objects.count == 1 else {
        list.append(NSConstraintConflict(clash.objects, constraint: clash.constraint))
        continue
      }
      let id = NSManagedObjectID(
        layout: row.layout, store: first.identity.storeReference, key: row.key)
      guard let present = try presentObject(id) else { continue }
      list.append(
        NSConstraintConflict(
          first, constraint: clash.constraint, database: present, row: row))
    }
    // What is merged now can't be taken back by itself: the rows would clash again.
    let undoManager = undoManager?.isUndoRegistrationEnabled == true ? undoManager : nil
    undoManager?.disableUndoRegistration()
    defer { undoManager?.enableUndoRegistration() }
    try policy.resolve(mergeConflicts: list)
    processPendingChanges()
  }

  /// The object of a row that was there a moment ago; nil if it is gone, and with it the conflict.
  private final func presentObject(_ id: NSManagedObjectID) throws -> NSManagedObject? {
    // An earlier state may not have had it.
    if let known = registered(id), known.state.contains(.inaccessible) { revive(known) }
    do {
      return try existingObject(with: id)
    } catch let error as NSError where error.code == NSManagedObjectReferentialIntegrityError {
      return nil
    }
  }

  /// What there is to save after conflicts were resolved. What has come to it meanwhile, by the policy or by
  /// whoever heard of its changes, is prepared as all the rest was; everything is validated again.
  private final func changesAfterResolving(_ before: ChangedObjects) throws -> ChangedObjects {
    var known = Set(before.inserted + before.updated + before.deleted)
    for _ in 0..<Self.mostRounds {
      processPendingChanges()
      propagateDeletions()
      processPendingChanges()
      let pending = pendingChanges()
      let newcomers = (pending.inserted + pending.updated + pending.deleted)
        .filter { known.insert($0).inserted }
      if newcomers.isEmpty {
        try validate(pending)
        // Validation may mend values.
        guard event.isEmpty else { continue }
        if parent == nil { try giveLastingIdentities(pending) }
        return pending
      }
      for object in newcomers where object.isOf(self) { object.willSave() }
    }
    neverSettles()
  }

  // MARK: Losers

  /// Has an object that lost a conflict leave without its delete rules; whoever knows the identity of one that
  /// was never saved is led to the survivor from now on.
  final func dismiss(_ loser: NSManagedObject, for survivor: NSManagedObject) {
    guard loser.isOf(self), !loser.isDeleted else { return }
    if loser.state.contains(.inserted) {
      loser.identity.setSuccessor(survivor.identity)
    } else {
      loser.prepareForDeletion()
      guard loser.isOf(self), !loser.isDeleted else { return }
    }
    loser.state.formUnion([.deleted, .propagated])
    deleted.append(loser)
    event.deleted.append(loser)
  }
}
