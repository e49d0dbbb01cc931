import Foundation

/// The places of an object in other objects' ordered relationships, for the one that replaces it there.
///
/// Whoever gave an order to objects, some of which turn out to be in the store already, means the present ones to stand
/// where the new ones stood.
struct OrderedPlaces {
  private var places: [(members: ToManyMembers, index: Int)] = []

  /// Notes the places of an object. Where its successor is a member too, that one keeps its own place.
  ///
  /// The relationships must have been read, see ``read(around:)``.
  init(of object: NSManagedObject, for successor: NSManagedObject) {
    Self.forEachOrder(around: object) { owner, inverse in
      guard owner !== object, owner !== successor, owner.isInContext(of: successor) else { return }
      note(object, in: owner.members(inverse), for: successor)
    }
  }

  /// Notes the place of an object in one relationship.
  init(of object: NSManagedObject, in members: ToManyMembers, for successor: NSManagedObject) {
    note(object, in: members, for: successor)
  }

  private mutating func note(
    _ object: NSManagedObject, in members: ToManyMembers, for successor: NSManagedObject
  ) {
    guard members.isOrdered, members.isLoaded, !members.contains(successor),
      let index = members.position(of: object)
    else { return }
    places.append((members, index))
  }

  /// Reads the ordered relationships that have an object as a member.
  static func read(around object: NSManagedObject) {
    forEachOrder(around: object) { owner, inverse in _ = owner.loadedMembers(inverse) }
  }

  private static func forEachOrder(
    around object: NSManagedObject, _ body: (NSManagedObject, PropertyLayout) -> Void
  ) {
    for property in object.layout.toOnes + object.layout.toManys where !property.isTransient {
      guard let inverse = property.inverse, inverse.isOrdered else { continue }
      let owners =
        property.isToMany
        ? object.loadedMembers(property).objects : object.toOne(property).map { [$0] } ?? []
      for owner in owners where !owner.awaitsDeletion { body(owner, inverse) }
    }
  }

  /// Moves the successor to the places noted, wherever it has become a member.
  func give(to successor: NSManagedObject) {
    for (members, index) in places {
      guard let position = members.position(of: successor), position != index,
        index < members.count
      else { continue }
      members.move(IndexSet(integer: position), to: index)
    }
  }
}
