import DataModels

/// The members that a save gives to owners by to-many relationships without inverses, in a store that keeps the owner
/// in the member's own row: a row has room for one.
///
/// Of several owners, the one that is written last keeps the member, as in Core Data. There, the others still have it in
/// memory until they are refreshed; here, they and a member's former owner read their members again, so that objects
/// show what the store has.
struct MemberClaims {
  private struct Place: Hashable {
    let property: ObjectIdentifier
    let member: NSManagedObjectID
  }

  private var owners: [Place: RowKey] = [:]

  /// - Parameter changes: the relationship changes in the order in which they are written.
  init(_ changes: [MemberChange]) {
    for change in changes where change.property.inverse == nil && !change.property.isTransient {
      for member in change.added {
        let place = Place(
          property: ObjectIdentifier(change.property), member: member.successor ?? member)
        owners[place] = RowKey(change.owner)
      }
    }
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
