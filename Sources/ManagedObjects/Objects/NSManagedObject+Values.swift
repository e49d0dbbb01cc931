import DataModels
import Foundation

/// The ways to a value that all others go through.
extension NSManagedObject {
  /// Makes sure that the values are here.
  @inline(__always)
  final func wake() {
    if confinementIsChecked { context?.requireQueue() }
    if !state.isDisjoint(with: [.fault, .noticesReads]) { wakeOrNotice() }
  }

  /// What reading costs beyond the value: firing a fault, and, for classes that ask for it, telling who reads.
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

  /// The context has forgotten the object: it is a fault for ever.
  final func becomeInvalid() {
    if !state.contains(.fault) || state.contains(.rowAtHand) { becomeFault() }
    state.subtract([.pending, .changedInEvent, .insertedInEvent])
    touchedMembers = nil
    leaveContext()
  }

  /// Takes the values of the object that took this one's place in the context, as far as it can have them.
  final func stayBehind(of object: NSManagedObject) {
    guard object.layout.isKind(of: layout) || layout.isKind(of: object.layout) else { return }
    values = object.values
    state.remove(.fault)
  }

  /// Lets go of the values.
  final func becomeFault() {
    state.formUnion([.fault, .hasLooseEnds])
    state.subtract([.rowAtHand, .changedInEvent, .eventValuesAreStored])
    storage.dropRows()
    scratch = nil
  }

  /// Takes empty values, as those of a fault can't come any more: its row or its context is gone.
  final func becomeEmpty() {
    takeNoValues()
    state.insert(.inaccessible)
  }

  /// Takes empty values in the place of those that couldn't be read.
  final func takeNoValues() {
    values = layout.defaultValues.map { _ in .null }
    state.remove(.fault)
  }

  /// The values are here: the object is a fault no longer.
  final func awaken() {
    let rest = state.subtracting([.fault, .rowAtHand])
    state = rest.union(.quiet)
    if !layout.transientSlots.isEmpty { takeTransientDefaults() }
    awakeFromFetch()
    state.remove(.quiet)
  }

  /// The value in a slot, from the store if need be.
  @inline(__always)
  final func storedValue(at slot: Int) -> StoredValue {
    wake()
    precondition(slot < layout.valueCount, "the property is another entity's")
    return currentValue(at: slot)
  }

  /// Notes a change that is about to be made.
  @inline(__always)
  final func willChange() {
    wake()
    #if Publishers
      if state.contains(.observed), !state.contains(.quiet) {
        ObjectPublishers.shared.announceChange(of: self)
      }
    #endif
    guard state.isDisjoint(with: [.quiet, .changedInEvent]) else { return }
    noteChange()
  }

  /// Tells those who observe the object that a change was made.
  @inline(__always)
  final func tellObservers() {
    if !state.isDisjoint(with: [.observed, .noticesReads]) { tellWatches() }
  }

  @inline(never)
  final func tellWatches() {
    guard !state.contains(.quiet) else { return }
    if state.contains(.noticesReads) { ReadNotices.noteChange(of: self) }
    #if !canImport(ObjectiveC)
      if state.contains(.observed) { ObjectObservers.shared.notify(of: self) }
    #endif
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
    return context.knownOrFault(id)
  }

  /// Has a to-one relationship lead to an object, the inverse left alone.
  private func lead(to target: NSManagedObject?, _ property: PropertyLayout) {
    replaceValue(at: property.slot, by: target.map { .reference($0.identity) } ?? .null)
    if storage.context == nil { keep(target, property) }
  }

  /// Holds what a relationship leads to: nobody else finds an object that no context knows.
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
    former?.unlink(self, inverse)
    target?.link(self, inverse)
  }

  // MARK: To-many

  /// The destinations of a to-many relationship, loaded or not.
  final func members(_ property: PropertyLayout) -> ToManyMembers {
    if let members = touchedMembers?[property.slot] { return members }
    if touchedMembers == nil {
      touchedMembers = Array(repeating: nil, count: layout.toManys.count)
    }
    // What has no row has nothing to load; what has none yet may be an ancestor context's.
    let isNew = state.contains(.inserted) || isTemporary && context?.parent == nil
    let members = ToManyMembers(isLoaded: isNew, isOrdered: property.isOrdered)
    touchedMembers?[property.slot] = members
    return members
  }

  /// The destinations of a to-many relationship, from the store if need be.
  final func loadedMembers(_ property: PropertyLayout) -> ToManyMembers {
    let members = members(property)
    if !members.isLoaded, let context, let stored = context.loadMembers(of: self, property) {
      members.load(stored)
      leaveOutMoved(property, stored)
    }
    return members
  }

  /// Adds a destination to a to-many relationship, and sets its inverse.
  final func add(_ target: NSManagedObject, to property: PropertyLayout) {
    checkRelatable(target, property)
    let members = property.isOrdered ? loadedMembers(property) : members(property)
    guard !members.contains(target) else { return }
    willChange()
    guard members.append(target) else { return }
    linkBack(target, property)
    tellObservers()
  }

  /// Sets the inverse of a destination that was just added.
  final func linkBack(_ target: NSManagedObject, _ property: PropertyLayout) {
    guard let inverse = property.inverse, !isOtherSide(target, property) else { return }
    guard !state.contains(.quiet) else {
      target.state.insert(.hasLooseEnds)
      return
    }
    target.link(self, inverse)
  }

  /// Takes a destination out of a to-many relationship, and clears its inverse.
  final func remove(_ target: NSManagedObject, from property: PropertyLayout) {
    let members = members(property)
    if members.isLoaded, !members.contains(target) { return }
    willChange()
    guard members.remove(target) else { return }
    defer { tellObservers() }
    guard let inverse = property.inverse, !isOtherSide(target, property) else { return }
    guard !state.contains(.quiet) else {
      target.state.insert(.hasLooseEnds)
      return
    }
    target.unlink(self, inverse)
  }

  /// Whether a destination's side of a relationship is this one: an object that is related to itself, by a
  /// relationship that is its own inverse. Done twice, what was added and taken out again would pass for taken out of
  /// what the store has.
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
    for target in members.objects where !kept.contains(target) { remove(target, from: property) }
    for target in kept.objects { add(target, to: property) }
    if property.isOrdered { members.replace(with: kept.objects) }
    tellObservers()
  }

  // MARK: The other side

  /// Enters `source` where a relationship's inverse leads back to it.
  final func link(_ source: NSManagedObject, _ inverse: PropertyLayout) {
    if inverse.isToMany {
      willChange()
      let members = members(inverse)
      // What led elsewhere until now isn't among the members, if both sides agree.
      if members.isLoaded, inverse.inverseIsToOne, !source.state.contains(.hasLooseEnds) {
        members.appendNew(source)
      } else {
        members.append(source)
      }
      tellObservers()
      return
    }
    let previous = storedValue(at: inverse.slot).reference
    if let previous, source.isObject(of: previous) { return }
    willChange()
    let former = previous == nil ? nil : toOne(inverse)
    lead(to: source, inverse)
    defer { tellObservers() }
    // The one that led here before no longer does.
    if let former, let back = inverse.inverse { former.unlink(self, back) }
  }

  /// Takes `source` out where a relationship's inverse led back to it.
  final func unlink(_ source: NSManagedObject, _ inverse: PropertyLayout) {
    guard !state.contains(.inaccessible) else { return }
    if inverse.isToMany {
      willChange()
      members(inverse).remove(source)
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
