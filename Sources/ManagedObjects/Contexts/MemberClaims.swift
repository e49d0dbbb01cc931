import DataModels

/// The members that a save gives to owners by to-many relationships without inverses, in a store that keeps the owner
/// in the member's own row: a row has room for one.
///
/// Core Data keeps the owner that it happens to write last, and the others have the member in memory until they are
/// refreshed. Here, a save that gives a member to two owners is refused, as nothing says which of them is meant. A
/// member that is given to one owner leaves its former owner, as if there were an inverse.
struct MemberClaims {
  private struct Place: Hashable {
    let property: ObjectIdentifier
    let member: NSManagedObjectID
  }

  private var owners: [Place: RowKey] = [:]

  /// - Throws: ``NSValidationRelationshipExceedsMaximumCountError`` if two owners claim one member.
  init(_ changes: [MemberChange], of pending: ChangedObjects, in store: StoreReference) throws {
    for change in changes where change.property.inverse == nil && !change.property.isTransient {
      for member in change.added {
        let place = Place(
          property: ObjectIdentifier(change.property), member: member.successor ?? member)
        let first = owners.updateValue(RowKey(change.owner), forKey: place)
        guard let first, first != RowKey(change.owner) else { continue }
        let owners = [first, RowKey(change.owner)]
        throw Self.doubleClaim(of: member, by: owners, change, pending, store)
      }
    }
  }

  private static func doubleClaim(
    of member: NSManagedObjectID, by owners: [RowKey], _ change: MemberChange,
    _ pending: ChangedObjects, _ store: StoreReference
  ) -> any Error {
    let context = pending.context
    let objects = owners.compactMap { owner in
      context?.identityMap[NSManagedObjectID(layout: owner.layout, store: store, key: owner.key)]
    }
    let text =
      "\(change.owner.layout.name).\(change.property.name) has no inverse, so an object can have only one owner, "
      + "and one was added to several."
    let target: Any = context?.identityMap[member.successor ?? member] ?? member
    guard let owner = objects.last else {
      return CoreDataError.make(NSValidationRelationshipExceedsMaximumCountError, text)
    }
    let error = CoreDataError.validation(
      NSValidationRelationshipExceedsMaximumCountError, text, object: owner,
      key: change.property.name, value: target)
    return CoreDataError.make(
      error.code, text,
      error.userInfo.merging([NSAffectedObjectsErrorKey: objects]) { own, _ in own })
  }

  /// Lets the objects of a context that had these members before the save read theirs again when next needed.
  func releaseFormerOwners(in context: NSManagedObjectContext) {
    guard !owners.isEmpty else { return }
    let properties = Set(owners.keys.map(\.property))
    context.identityMap.visit { object in
      guard let touched = object.touchedMembers else { return }
      for property in object.layout.toManys where properties.contains(ObjectIdentifier(property)) {
        guard let members = touched[property.slot], members.isLoaded,
          members.objects.contains(where: { isElsewhere($0, than: object, property) })
        else { continue }
        members.forget()
        context.noteRefreshed(object)
      }
    }
  }

  private func isElsewhere(
    _ member: NSManagedObject, than owner: NSManagedObject, _ property: PropertyLayout
  ) -> Bool {
    let place = Place(property: ObjectIdentifier(property), member: member.identity)
    return owners[place].map { $0 != RowKey(owner.identity) } ?? false
  }
}
