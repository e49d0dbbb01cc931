/// Merging deletions by other contexts.
extension NSManagedObjectContext {
  /// The objects among those reported as deleted that are there all the same. A deletion may be reported after a merge
  /// policy let an edit win over it, which wrote the row again, or after it was undone or rolled back in a parent.
  ///
  /// A child asks its parent only if it has changes that the deletion would take along: otherwise it needn't wait for its
  /// parent's queue, and learns of what is there again by the next merge.
  final func thereAgain(among objects: [NSManagedObject]) -> Set<ObjectIdentifier> {
    guard parent == nil || !(inserted.isEmpty && updated.isEmpty) else { return [] }
    return rowsExist(of: objects)
  }

  /// The objects whose rows exist, and stay.
  final func rowsExist(of objects: [NSManagedObject]) -> Set<ObjectIdentifier> {
    Set(
      objects.filter { !$0.awaitsInsertion && (try? hasLastingRow($0.identity)) == true }
        .map(ObjectIdentifier.init))
  }

  final func hasLastingRow(_ id: NSManagedObjectID) throws -> Bool {
    // This read must not pin the query generation that the context is going to read.
    let choice = generationChoice
    generationChoice = .unpinned
    defer { generationChoice = choice }
    return try source.hasLastingRow(id)
  }

  /// Removes objects that other writers deleted, and takes in what the deletion has done to others: a batch deletion names
  /// neither the rows that led to what it has deleted, nor those that it has deleted along with it.
  ///
  /// - Returns: the objects and those deleted along with them.
  ///
  /// - Parameter strangers: the identities of deleted objects that this context doesn't know.
  final func exclude(
    deletedWithDependents objects: [NSManagedObject], _ strangers: [NSManagedObjectID]
  ) -> [NSManagedObject] {
    var (all, gone, unknown) = (objects, objects, strangers)
    while !gone.isEmpty || !unknown.isEmpty {
      let others = leading(to: gone.map(\.identity) + unknown)
      unknown = []
      exclude(deleted: gone)
      let present = parent == nil ? rowsExist(of: others.dependent) : []
      gone =
        parent == nil ? others.dependent.filter { !present.contains(ObjectIdentifier($0)) } : []
      let lost = Set(gone.map(ObjectIdentifier.init))
      for object in inOrder(others.all) where !lost.contains(ObjectIdentifier(object)) {
        takeIn(update: object)
      }
      all += gone
    }
    return all
  }

  /// The objects whose to-one relationships lead to others in ways that these objects' deletion doesn't leave as they
  /// are, and those among them that it may have deleted as well.
  private final func leading(
    to gone: [NSManagedObjectID]
  ) -> (all: [NSManagedObject], dependent: [NSManagedObject]) {
    let ids = Set(gone)
    let roots = Set(gone.map { ObjectIdentifier($0.layout.root) })
    var (all, dependent): ([NSManagedObject], [NSManagedObject]) = ([], [])
    identityMap.visit { object in
      guard object.hasRow, !object.awaitsInsertion, !object.state.contains(.inaccessible) else {
        return
      }
      let ways = object.layout.toOnes.filter { property in
        guard property.isClearedByDeletions, let destination = property.destinationLayout,
          roots.contains(ObjectIdentifier(destination.root))
        else { return false }
        // What leads elsewhere by an unsaved change has another row than it knows, too.
        let targets = [
          object.currentValue(at: property.slot), object.committedValue(at: property.slot),
        ]
        return targets.contains { $0.reference.map(ids.contains) ?? false }
      }
      guard !ways.isEmpty, !ids.contains(object.identity) else { return }
      all.append(object)
      if ways.contains(where: { $0.inverse?.deleteRule == .cascadeDeleteRule }) {
        dependent.append(object)
      }
    }
    return (all, dependent)
  }

  /// Removes objects that other writers deleted from relationships and pending changes.
  final func exclude(deleted objects: [NSManagedObject]) {
    let known = finishDeletions(among: objects)
    let gone = objects.filter { !$0.awaitsDeletion }
    guard !gone.isEmpty || !known.isEmpty else { return }
    for object in gone {
      noteGone(object)
      event.deleted.append(object)
    }
    let places = Set((gone + known).map(ObjectIdentifier.init))
    for object in inserted + updated where object.awaitsInsertion || object.awaitsUpdate {
      clearReferences(of: object, to: places)
    }
    // The store no longer has them in any relationship, whatever was read before.
    for owner in dropMembers(places) where !owner.awaitsDeletion { noteRefreshed(owner) }
  }

  /// Removes objects whose rows are gone from all relationships, as if they had never been read there.
  ///
  /// - Parameter byRules: whether only relationships that the deletion rules clear are changed: those with an inverse
  ///   whose rule isn't to do nothing.
  /// - Returns: the objects that have lost a member.
  @discardableResult
  final func dropMembers(
    _ gone: Set<ObjectIdentifier>, byRules: Bool = false
  ) -> [NSManagedObject] {
    memberSearches += 1
    var owners: [NSManagedObject] = []
    identityMap.visit { object in
      guard let touched = object.touchedMembers else { return }
      var hasLost = false
      for (members, property) in zip(touched, object.layout.toManys)
      where !byRules || property.isClearedByDeletions {
        if members?.drop(gone) == true { hasLost = true }
      }
      if hasLost { owners.append(object) }
    }
    return owners
  }

  /// Completes pending deletions of objects that other writers have deleted, so a rollback doesn't restore objects
  /// without rows. Returns the completed ones.
  private final func finishDeletions(among objects: [NSManagedObject]) -> [NSManagedObject] {
    func waits(_ object: NSManagedObject) -> Bool {
      object.awaitsDeletion && object.state.isDisjoint(with: [.inaccessible, .inserted])
    }
    guard objects.contains(where: waits) else { return [] }
    // Other writers haven't propagated the deletion to objects related by unsaved changes. It may reach other objects
    // whose rows are gone.
    propagateDeletions()
    // Deletions for which something couldn't be read remain pending.
    let gone = objects.filter { waits($0) && $0.state.contains(.propagated) }
    for object in gone { noteGone(object) }
    let places = Set(gone.map(ObjectIdentifier.init))
    deleted.removeAll { places.contains(ObjectIdentifier($0)) }
    return gone
  }

  /// Applies the delete rules to unsaved references to objects that other writers deleted, as if these had been
  /// deleted here. A deny rule comes too late and nullifies.
  private final func clearReferences(
    of object: NSManagedObject, to gone: Set<ObjectIdentifier>
  ) {
    guard !object.isFault else { return }
    for property in object.layout.toOnes {
      guard let inverse = property.inverse, let target = object.toOne(property),
        gone.contains(ObjectIdentifier(target))
      else { continue }
      switch inverse.deleteRule {
      case .cascadeDeleteRule: delete(object)
      case .nullifyDeleteRule, .denyDeleteRule:
        object.willChange()
        object.replaceValue(at: property.slot, by: .null)
      case .noActionDeleteRule: break
      }
    }
  }
}
