import DataModels
import Foundation

/// The basic accessors that all others are built on.
extension NSManagedObject {
  /// Ensures that the values are loaded.
  @inline(__always)
  final func wake() {
    if confinementIsChecked { context?.requireQueue() }
    if !state.isDisjoint(with: [.fault, .noticesReads]) { wakeOrNotice() }
  }

  /// The slow path of reading: fires a fault, and for classes that request it, records the reader.
  @inline(never)
  private final func wakeOrNotice() {
    if layout.noticesReads {
      state.insert(.noticesReads)
      ReadNotices.noteRead(of: self)
    }
    if state.contains(.fault) { fireFault() }
  }

  @inline(never)
  final func fireFault() {
    if state.contains(.rowAtHand) { return awaken() }
    guard let context else { return becomeEmpty() }
    context.fulfill(self)
  }

  /// Detaches the object permanently: its context has forgotten it, and it stays a fault.
  final func becomeInvalid() {
    if !state.contains(.fault) || state.contains(.rowAtHand) { becomeFault() }
    state.subtract([.pending, .changedInEvent, .insertedInEvent])
    touchedMembers = nil
    leaveContext()
  }

  /// Takes the values of the object that replaced this one in the context, as far as its entity has them.
  final func stayBehind(of object: NSManagedObject) {
    guard object.layout.isKind(of: layout) || layout.isKind(of: object.layout) else { return }
    values = object.values
    state.remove(.fault)
  }

  /// Discards the values.
  final func becomeFault() {
    noteUnindexed()
    state.formUnion([.fault, .hasLooseEnds])
    state.subtract([.rowAtHand, .changedInEvent, .eventValuesAreStored])
    storage.dropRows()
    if scratch?.remembersMembers == true { for members in toManys { members?.endJournal() } }
    scratch = nil
  }

  /// Takes empty values when a fault can't be fulfilled any more: its row or its context is gone.
  final func becomeEmpty() {
    takeNoValues()
    state.insert(.inaccessible)
  }

  /// Takes empty values in place of values that couldn't be read.
  final func takeNoValues() {
    values = layout.defaultValues.map { _ in .null }
    state.remove(.fault)
  }

  /// Ends the fault state after the values were loaded.
  final func awaken() {
    let rest = state.subtracting([.fault, .rowAtHand])
    // It may be a primitive value's setter that fires the fault.
    let wasQuiet = rest.contains(.quiet)
    state = rest.union(.quiet)
    if !layout.transientSlots.isEmpty { takeTransientDefaults() }
    awakeFromFetch()
    if !layout.unstoredSlots.isEmpty { commitUnstoredValues() }
    if !wasQuiet { state.remove(.quiet) }
  }

  /// The value in a slot, read from the store if necessary.
  @inline(__always)
  final func storedValue(at slot: Int) -> StoredValue {
    wake()
    precondition(slot < layout.valueCount, "the property is another entity's")
    return currentValue(at: slot)
  }

  /// Announces a change that is about to be made.
  @inline(__always)
  final func willChange() {
    wake()
    announceChange()
    guard state.isDisjoint(with: [.quiet, .changedInEvent]) else { return }
    noteChange()
  }

  /// Tells publishers that a change is about to be made.
  @inline(__always)
  final func announceChange() {
    #if Publishers
      if state.contains(.observed), !state.contains(.quiet) {
        ObjectPublishers.shared.announceChange(of: self)
        // A subscriber may have refreshed it.
        wake()
      }
    #endif
  }

  /// Notifies the object's observers that a change was made, and those of the context if it is the first one.
  @inline(__always)
  final func tellObservers() {
    if !state.isDisjoint(with: [.observed, .noticesReads, .joinedUnsaved]) {
      notifyObservationRegistrar()
    }
  }

  @inline(never)
  final func notifyObservationRegistrar() {
    guard !state.contains(.quiet) else { return }
    if state.contains(.noticesReads) { ReadNotices.noteChange(of: self) }
    #if !canImport(ObjectiveC)
      if state.contains(.observed) { ObjectObservers.shared.notify(of: self) }
    #endif
    if state.contains(.joinedUnsaved) {
      state.remove(.joinedUnsaved)
      context?.tellObservers(isWithinEvent: true)
    }
  }

  /// Sets an attribute.
  @inline(__always)
  final func setAttribute(_ value: StoredValue, at slot: Int) {
    willChange()
    precondition(slot < layout.valueCount, "the property is another entity's")
    replaceValue(at: slot, by: value)
    tellObservers()
  }

  // MARK: To-one

  /// The destination of a to-one relationship.
  final func toOne(_ property: PropertyLayout) -> NSManagedObject? {
    guard let id = storedValue(at: property.slot).reference else { return nil }
    guard let context else {
      return scratch?.unattached[property.slot].flatMap { $0.isObject(of: id) ? $0 : nil }
    }
    // The destination was related to this object before either had a context, and isn't inserted yet.
    if id.isTemporary, let kept = scratch?.unattached[property.slot], kept.context == nil,
      kept.isObject(of: id)
    {
      return kept
    }
    return context.knownOrFault(id)
  }

  /// Sets a to-one relationship without maintaining the inverse.
  private func lead(to target: NSManagedObject?, _ property: PropertyLayout) {
    replaceValue(at: property.slot, by: target.map { .reference($0.identity) } ?? .null)
    if storage.context == nil { keep(target, property) }
  }

  /// Whether a relationship led to an object that isn't in a context yet.
  final func keeps(_ id: NSManagedObjectID, by property: PropertyLayout) -> Bool {
    guard let kept = scratch?.unattached[property.slot] else { return false }
    return kept.context == nil && kept.isObject(of: id)
  }

  /// Retains the destination of a relationship while there is no context to look it up in.
  @inline(never)
  private func keep(_ target: NSManagedObject?, _ property: PropertyLayout) {
    let scratch = scratch ?? Scratch()
    scratch.unattached[property.slot] = target
    self.scratch = scratch
  }

  /// Sets the destination of a to-one relationship, and both inverses.
  final func setToOne(_ target: NSManagedObject?, _ property: PropertyLayout) {
    let old = storedValue(at: property.slot).reference
    if let target { checkRelatable(target, property) }
    if let old, let target, target.isObject(of: old) { return }
    if old == nil, target == nil { return }
    willChange()
    let former = old == nil || property.inverse == nil ? nil : toOne(property)
    lead(to: target, property)
    defer { tellObservers() }
    guard let inverse = property.inverse else { return }
    guard !state.contains(.quiet) else {
      state.insert(.hasLooseEnds)
      return
    }
    if let former {
      context?.learn(of: self, former, inverse, isWritten: hasChanged(property))
      former.unlink(self, inverse)
      noteLed(to: former, property, inverse)
    }
    guard let target else { return }
    guard !inverse.isToMany else { return target.link(self, inverse) }
    readAgainIfOld(target, inverse)
    target.link(self, inverse)
    guard hasChanged(property) else { return }
    // What leads here by a change that returns to the row it was read with is no other than what never changed.
    readAgainIfOld(target, inverse)
    target.link(self, inverse)
  }

  /// Reads a destination again if its row has led here already, and this object didn't lead there: another writer has led
  /// it elsewhere, or deleted it, since it was read here. Nothing would be changed in it, and nothing saved, otherwise.
  private func readAgainIfOld(_ target: NSManagedObject, _ inverse: PropertyLayout) {
    guard target.hasStoredRow, target !== self else { return }
    target.wake()
    guard target.leads(to: self, by: inverse), !target.hasChanged(inverse) else { return }
    readAgain(target, inverse)
  }

  /// Reads an object again whose row has led here. If the row is gone, and the object stays as it is because it has changes,
  /// that it leads here is one of them: the next save finds the conflict.
  private func readAgain(_ target: NSManagedObject, _ inverse: PropertyLayout) {
    guard let context else { return }
    context.refresh(target, mergeChanges: true)
    guard target.awaitsUpdate, !target.isFault, target.leads(to: self, by: inverse),
      !target.hasChanged(inverse), (try? context.isInStore(target)) == false
    else { return }
    target.willChange()
    target.committed[inverse.slot] = .null
  }

  // MARK: To-many

  /// The destinations of a to-many relationship, whether loaded or not.
  final func members(_ property: PropertyLayout) -> ToManyMembers {
    if let members = touchedMembers?[property.slot] { return members }
    if touchedMembers == nil {
      touchedMembers = Array(repeating: nil, count: layout.toManys.count)
    }
    // An object without a row has nothing to load; a temporary object may exist in an ancestor context.
    let isNew = state.contains(.inserted) || isTemporary && context?.parent == nil
    let members = ToManyMembers(isLoaded: isNew, isOrdered: property.isOrdered)
    touchedMembers?[property.slot] = members
    return members
  }

  /// The destinations of a to-many relationship, loaded from the store if necessary.
  final func loadedMembers(_ property: PropertyLayout) -> ToManyMembers {
    let members = members(property)
    if !members.isLoaded, let context, let stored = context.loadMembers(of: self, property) {
      let added = members.added
      members.load(stored)
      excludeMoved(property, stored)
      addAgain(added, to: property)
    }
    return members
  }

  /// Keeps destinations that were led here as changes, although the store has them here by now, too: what their rows are
  /// written to lead to must be written with them, so that a save finds if another writer has deleted it.
  final func addAgain(_ added: [NSManagedObject], to property: PropertyLayout) {
    guard property.inverseIsToOne, !awaitsDeletion, !added.isEmpty else { return }
    let members = members(property)
    for target in added
    where members.contains(target) && target.newlyLeads(to: self, property) {
      members.addAgain(target)
    }
  }

  /// The destinations of a to-many relationship, for the program to see. As any other property they fire a fault first: what
  /// another writer changes after they were read is then a conflict.
  @inline(__always)
  final func shownMembers(_ property: PropertyLayout) -> ToManyMembers {
    wake()
    return loadedMembers(property)
  }

  /// The destinations of a to-many relationship, loaded if an object that left them comes back. Removals and additions
  /// that wait for loading would cancel each other out, but the object may not have been among the destinations, and in
  /// an ordered relationship it comes back to the end. They are also loaded if undoing would remove an object that may
  /// have been among them.
  final func members(
    _ property: PropertyLayout, toAdd target: NSManagedObject
  ) -> ToManyMembers {
    let members = members(property)
    guard !members.isLoaded else { return members }
    let mayBeThere =
      !property.isToldByMembers && !target.state.contains(.inserted)
      && context?.remembersChanges == true
    return mayBeThere || members.hasRemoved(target) ? loadedMembers(property) : members
  }

  /// Adds a destination to a to-many relationship, and sets its inverse.
  final func add(_ target: NSManagedObject, to property: PropertyLayout) {
    checkRelatable(target, property)
    var members =
      property.isOrdered ? loadedMembers(property) : members(property, toAdd: target)
    guard !has(target, among: &members, property) else { return }
    willChange()
    guard members.append(target) else { return }
    linkBack(target, property)
    tellObservers()
  }

  /// Whether an object is among the destinations, so that adding it changes nothing. If only an old row says so, it is
  /// read again: another writer has led it elsewhere, or deleted it, since it was read here. If it is this object, its
  /// destinations are read again, too.
  final func has(
    _ target: NSManagedObject, among members: inout ToManyMembers, _ property: PropertyLayout
  ) -> Bool {
    guard !members.contains(target) else { return true }
    guard isStored(target, outside: members, property) else { return false }
    guard !loadedMembers(property).contains(target) else { return true }
    if let inverse = property.inverse { readAgain(target, inverse) }
    if target === self { members = shownMembers(property) }
    return members.contains(target)
  }

  /// Whether the row of an object that isn't among the destinations, as far as these are known, leads here. Adding it is no
  /// change if they aren't loaded: another owner takes out a stored member, and undoing that must put it back.
  private final func isStored(
    _ target: NSManagedObject, outside members: ToManyMembers, _ property: PropertyLayout
  ) -> Bool {
    guard property.inverseIsToOne, let inverse = property.inverse,
      !target.state.contains(.inserted), !members.hasRemoved(target)
    else { return false }
    target.wake()
    return target.leads(to: self, by: inverse) && !target.hasChanged(inverse)
  }

  /// Sets the inverse of a destination that was just added.
  final func linkBack(_ target: NSManagedObject, _ property: PropertyLayout) {
    if target.awaitsDeletion { context?.unsaved.hasDeletedMembers = true }
    guard let inverse = property.inverse, !isOtherSide(target, property) else { return }
    guard !state.contains(.quiet) else {
      target.state.insert(.hasLooseEnds)
      return
    }
    target.link(self, inverse)
  }

  /// Removes a destination from a to-many relationship, and clears its inverse.
  final func remove(_ target: NSManagedObject, from property: PropertyLayout) {
    // What the relationship can't contain may be asked to leave it, as any other non-member.
    if let destination = property.destination, property.destinationID != target.layout.id,
      !target.layout.isKind(of: destination), !loadedMembers(property).contains(target)
    {
      return
    }
    let members = undoableMembers(property, toRemove: target)
    if members.isLoaded, !members.contains(target) { return }
    willChange()
    guard members.remove(target) else { return }
    defer { tellObservers() }
    guard let inverse = property.inverse, !isOtherSide(target, property) else { return }
    guard !state.contains(.quiet) else {
      target.state.insert(.hasLooseEnds)
      return
    }
    context?.learn(of: self, target, inverse)
    target.unlink(self, inverse)
  }

  /// The destinations of a to-many relationship, loaded if an object was added that is removed again: it may have been
  /// among the destinations before, so that its removal isn't just the end of its addition.
  final func members(
    _ property: PropertyLayout, toRemove target: NSManagedObject
  ) -> ToManyMembers {
    let members = members(property)
    guard !members.isLoaded, !property.isToldByMembers, !target.state.contains(.inserted),
      members.contains(target)
    else { return members }
    return loadedMembers(property)
  }

  /// The same, also loaded if undoing would add an object that may not be among the destinations.
  private final func undoableMembers(
    _ property: PropertyLayout, toRemove target: NSManagedObject
  ) -> ToManyMembers {
    let members = members(property, toRemove: target)
    guard !members.isLoaded, let context, context.remembersChanges else { return members }
    let isKnown =
      property.inverse.map { !$0.isToMany && target.leads(to: self, by: $0) } ?? false
    return isKnown ? members : loadedMembers(property)
  }

  /// Whether the destination's side of a relationship is this same side: an object related to itself by a
  /// relationship that is its own inverse. If both sides were maintained, adding and removing such a destination
  /// would be recorded as removing a stored one.
  private final func isOtherSide(_ target: NSManagedObject, _ property: PropertyLayout) -> Bool {
    target === self && property.inverse === property
  }

  /// Replaces all destinations of a to-many relationship by `targets`, in their order.
  final func setMembers(_ targets: [NSManagedObject], _ property: PropertyLayout) {
    let members = loadedMembers(property)
    var kept = ObjectList()
    for target in targets {
      checkRelatable(target, property)
      kept.append(target)
    }
    willChange()
    // Observers aren't told of what is neither the old nor the new value.
    let watched = state.intersection([.observed, .noticesReads])
    state.subtract(watched)
    for target in members.objects where !kept.contains(target) { remove(target, from: property) }
    for target in kept.objects { add(target, to: property) }
    if property.isOrdered { members.replace(with: kept.objects) }
    state.formUnion(watched)
    tellObservers()
  }

  // MARK: The inverse

  /// Adds `source` to the inverse of a relationship that now refers to this object.
  final func link(_ source: NSManagedObject, _ inverse: PropertyLayout) {
    if inverse.isToMany {
      willChange()
      let members = members(inverse, toAdd: source)
      // A new source that had another owner until now isn't among the members. One with a row may be: if another
      // context has led it here since its own values were read, and the members were read later.
      if members.isLoaded, inverse.inverseIsToOne, source.state.contains(.inserted),
        source.version == 0, !source.state.contains(.hasLooseEnds)
      {
        members.appendNew(source)
      } else if !members.append(source), !awaitsDeletion, source.newlyLeads(to: self, inverse) {
        noteOneSidedChange()
        // Another writer has ended what was read here. If it has deleted this object's row, too, a save must find that.
        members.addAgain(source)
      }
      tellObservers()
      return
    }
    let previous = storedValue(at: inverse.slot).reference
    if let previous, source.isObject(of: previous) { return noteOneSidedChange() }
    willChange()
    let former = previous == nil ? nil : toOne(inverse)
    lead(to: source, inverse)
    defer { tellObservers() }
    // The object that referred to the target before no longer does.
    if let former, let back = inverse.inverse {
      context?.learn(of: self, former, back, isWritten: hasChanged(inverse))
      former.unlink(self, back)
      noteLed(to: former, inverse, back)
    }
  }

  /// Notes that another object has come to lead to this one, which leads back already: undo reverts both sides.
  private final func noteOneSidedChange() {
    if let context, context.remembersChanges { context.undoLacksSides = true }
  }

  /// Notes that this object's row leads to a former destination of a one-to-one relationship, as the destination's newer row
  /// tells: that it does no longer is a change here, too, and a conflict with whoever has led it there.
  final func noteLed(
    to former: NSManagedObject, _ property: PropertyLayout, _ inverse: PropertyLayout
  ) {
    guard !inverse.isToMany, former !== self, hasStoredRow, former.hasStoredRow,
      !hasChanged(property),
      former.committedValue(at: inverse.slot).reference.map(isObject(of:)) ?? false,
      !(committedValue(at: property.slot).reference.map(former.isObject(of:)) ?? false)
    else { return }
    committed[property.slot] = .reference(former.identity)
  }

  /// Whether the other side of a relationship leads to an object by a change that isn't saved.
  private final func newlyLeads(to target: NSManagedObject, _ inverse: PropertyLayout) -> Bool {
    guard let property = inverse.inverse else { return false }
    guard property.isToMany else { return hasChanged(property) }
    return touchedMembers?[property.slot]?.added.contains { $0 === target } ?? false
  }

  /// Removes `source` from the inverse of a relationship that referred to this object.
  final func unlink(_ source: NSManagedObject, _ inverse: PropertyLayout) {
    guard !state.contains(.inaccessible) else { return }
    if inverse.isToMany {
      willChange()
      members(inverse, toRemove: source).remove(source)
      tellObservers()
      return
    }
    guard let present = storedValue(at: inverse.slot).reference,
      source.isObject(of: present)
    else { return }
    willChange()
    lead(to: nil, inverse)
    tellObservers()
  }

  final func checkRelatable(_ target: NSManagedObject, _ property: PropertyLayout) {
    precondition(
      target.isInContext(of: self),
      "-[NSManagedObject setValue:forKey:]: illegal attempt to establish a relationship "
        + "'\(property.name)' between objects in different contexts "
        + "(source = \(self), destination = \(target))")
    guard property.destinationID != target.layout.id, let destination = property.destination else {
      return
    }
    precondition(
      target.layout.isKind(of: destination),
      "-[NSManagedObject setValue:forKey:]: unacceptable type of value for relationship "
        + "'\(layout.name).\(property.name)': '\(target.layout.name)' is no "
        + "'\(destination.name)'")
  }
}
