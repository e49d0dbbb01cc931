/// Resolves a conflict over a row that another writer changed.
struct VersionResolution {
  private let type: NSMergePolicyType

  init(_ type: NSMergePolicyType) { self.type = type }

  func resolve(_ conflict: NSMergeConflict) {
    let object = conflict.sourceObject
    guard let context = object.context else { return }
    guard let row = conflict.row else { return resolveDeletion(of: object, context) }
    let (before, mine) = (object.committed, object.values)
    guard !mine.isEmpty else {
      object.version = row.version
      return
    }
    var values = mine
    for property in object.layout.values where !property.isTransient {
      guard row.values.indices.contains(property.slot) else { continue }
      let theirs = row.values[property.slot]
      let takesStore: Bool =
        switch type {
        case .mergeByPropertyStoreTrumpMergePolicyType:
          theirs != before[property.slot] || !object.hasChanged(property)
        case .mergeByPropertyObjectTrumpMergePolicyType: !object.hasChanged(property)
        case .rollbackMergePolicyType: true
        default: false
        }
      if takesStore { values[property.slot] = theirs }
    }
    object.values = values
    object.committed = row.values
    object.version = row.version
    for property in object.layout.toOnes {
      forgetMembers(
        leadingBack: property, from: mine[property.slot], to: values[property.slot], context)
    }
    let dropsAll = type == .rollbackMergePolicyType
    if dropsAll {
      object.state.subtract([.updated, .deleted, .propagated, .guarded])
      context.stopSaving(object)
    }
    // Members are no values: what was added and removed here is done to whatever the store has now.
    for members in object.toManys {
      if let members, dropsAll || !members.hasChanges { members.forget() }
    }
    object.awake(fromSnapshotEvents: .mergePolicy)
  }

  /// A to-one leads elsewhere by the store's will: loaded members of its inverse are out of date.
  private func forgetMembers(
    leadingBack property: PropertyLayout, from old: StoredValue, to new: StoredValue,
    _ context: NSManagedObjectContext
  ) {
    guard old != new, let inverse = property.inverse, inverse.isToMany else { return }
    for id in [old.reference, new.reference] {
      guard let id, let target = context.identityMap[id], target.hasTouchedToManys,
        let members = target.membersBySlot[inverse.slot], !members.hasChanges
      else { continue }
      members.forget()
    }
  }

  /// The other writer deleted the row: the object's changes trump, and it is written again with all its
  /// values, or it goes too.
  private func resolveDeletion(of object: NSManagedObject, _ context: NSManagedObjectContext) {
    let staysByChanges =
      type == .mergeByPropertyObjectTrumpMergePolicyType || type == .overwriteMergePolicyType
    guard staysByChanges, object.isUpdated, !object.isFault else { return context.forget(object) }
    object.state.remove(.updated)
    context.stopSaving(object)
    object.state.insert(.inserted)
    object.committed = []
    object.version = 0
    context.inserted.append(object)
    // Others may have gone with the row, by delete rules for one.
    func isThere(_ target: NSManagedObject) -> Bool {
      if target.state.contains(.inserted) { return !target.isDeleted }
      return !target.isDeleted
        && (try? context.source.fetchRow(target.identity, into: RowCollector())) == true
    }
    for property in object.layout.toOnes {
      guard let target = object.toOne(property), !isThere(target) else { continue }
      object.replaceValue(at: property.slot, by: .null)
    }
    for property in object.layout.toManys where object.hasTouchedToManys {
      guard let members = object.membersBySlot[property.slot] else { continue }
      members.becomeNew()
      for target in members.objects where !isThere(target) { members.remove(target) }
    }
    object.awake(fromSnapshotEvents: .mergePolicy)
  }
}
