import Foundation

/// Changed values.
extension NSManagedObject {
  /// The implementation of ``changedValues()``.
  final func changesSinceSave() -> [String: Any] {
    guard !isFault, hasChanges || context == nil else { return [:] }
    return changes(from: committed)
  }

  /// The implementation of ``changedValuesForCurrentEvent()``.
  final func changesInEvent() -> [String: Any] {
    guard !isFault, let context,
      let before = eventValues ?? (context.tellsOfChange(of: self) ? toldValues : nil)
    else { return [:] }
    // An observer may have dropped either of them.
    let values = values
    let count = min(before.count, values.count)
    var result: [String: Any] = [:]
    for property in layout.values where !property.isTransient && property.slot < count {
      let old = before[property.slot]
      guard old != values[property.slot] else { continue }
      let value: Any? =
        property.kind == .toOne
        ? old.reference.flatMap(context.knownOrFault) : object(of: old, property)
      result[property.name] = value ?? NSNull()
    }
    for property in layout.toManys where !membersBySlot.isEmpty {
      guard let members = membersBySlot[property.slot], members.hasChanges, members.isLoaded else {
        continue
      }
      let objects = members.committedObjects
      result[property.name] =
        property.isOrdered ? NSOrderedSet(array: objects) : NSSet(array: objects)
    }
    return result
  }

  /// Whether a persistent property differs from the store, for whatever reason.
  final var differsFromStore: Bool {
    guard !isFault else { return false }
    return layout.values.contains { !$0.isTransient && hasChanged($0) }
      || membersBySlot.contains { $0?.hasChanges == true }
  }

  /// The implementation of ``committedValues(forKeys:)``.
  final func savedValues(forKeys keys: [String]?) -> [String: Any] {
    wake()
    guard hasStoredRow else { return [:] }
    var result: [String: Any] = [:]
    for property in layout.propertiesByName.values where !property.isTransient {
      if let keys, !keys.contains(property.name) { continue }
      switch property.kind {
      case .attribute:
        result[property.name] = object(of: committed[property.slot], property) ?? NSNull()
      case .toOne:
        let target = committed[property.slot].reference.flatMap { context?.knownOrFault($0) }
        result[property.name] = target ?? NSNull()
      case .toMany:
        let members = keys == nil ? members(property) : loadedMembers(property)
        guard members.isLoaded, let context else { continue }
        let objects = members.committed.map { context.knownOrFault($0) }
        result[property.name] =
          property.isOrdered ? NSOrderedSet(array: objects) : NSSet(array: objects)
      case .fetched: continue
      }
    }
    return result
  }

  /// Whether a value differs from the store.
  final func hasChanged(_ property: PropertyLayout) -> Bool {
    if !hasStoredRow { return currentValue(at: property.slot) != property.defaultValue }
    return hasOwnRow && currentValue(at: property.slot) != committedValue(at: property.slot)
  }

  /// Gives derived attributes of a stored object the store's values again: the store computes them, and computes
  /// none whose sources haven't changed, so what the program has set would stay.
  final func restoreDerivedValues() {
    guard !layout.derived.isEmpty, hasOwnRow else { return }
    for property in layout.derived where hasChanged(property) {
      let stored = committedValue(at: property.slot)
      // A placeholder stands in for a mandatory value that the store doesn't have.
      guard property.isOptional || !stored.isNull else { continue }
      takeStoreValue(stored, of: property)
    }
  }

  /// Records the to-many relationships as they are at the beginning of an event.
  final func rememberMembers() {
    guard toManys.contains(where: { $0 != nil }) else { return }
    for members in toManys { members?.beginJournal() }
    let scratch = scratch ?? Scratch()
    scratch.remembersMembers = true
    self.scratch = scratch
  }

  private final func changes(from base: [StoredValue]) -> [String: Any] {
    let base = base.isEmpty ? layout.defaultValues : base
    let values = values
    var result: [String: Any] = [:]
    for property in layout.values where !property.isTransient {
      if values[property.slot] != base[property.slot] {
        result[property.name] = value(of: property) ?? NSNull()
      }
    }
    for property in layout.toManys where !membersBySlot.isEmpty {
      guard membersBySlot[property.slot]?.hasChanges == true else { continue }
      result[property.name] = value(of: property)
    }
    return result
  }
}
