import Foundation
import OrderedCollections
import PredicateFormat

/// What few entities and properties have, kept out of the instance so that the many stay small.
///
/// A model of 10,000 entities has some 160,000 properties; the box is made when the first of these
/// values is set.
package class DescriptionExtras: @unchecked Sendable {
  // Sendable: as its model: in one place at a time until it is in use, never changed from then on.
  package final var renamingIdentifier: String?
  package final var versionHashModifier: String?
  package final var userInfo: OrderedDictionary<AnyHashable, Any> = [:] {
    didSet { userInfoChanges &+= 1 }
  }
  /// How often the user info was set: what was made of it may be out of date.
  package final var userInfoChanges = 0
  package final var preserved: (any Sendable)?

  package required init() {}

  /// A box of the same content.
  func copy() -> Self {
    let copy = Self()
    copy.renamingIdentifier = renamingIdentifier
    copy.versionHashModifier = versionHashModifier
    copy.userInfo = userInfo
    copy.preserved = preserved
    return copy
  }
}

/// A description with a box of what it rarely has.
package protocol ExtrasHolding: AnyObject {
  /// The kind of box.
  associatedtype Extras: DescriptionExtras

  /// The box; `nil` until it is needed.
  var extras: Extras? { get set }

  /// Called by every setter before it changes anything.
  func willChange(_ selector: StaticString)
}

extension ExtrasHolding {
  /// The box, made when there is none.
  package var extra: Extras {
    if let extras { return extras }
    let made = Extras()
    extras = made
    return made
  }

  /// The user info in its order.
  package var orderedUserInfo: OrderedDictionary<AnyHashable, Any> {
    get { extras?.userInfo ?? [:] }
    set {
      if !newValue.isEmpty || extras != nil { extra.userInfo = newValue }
    }
  }

  /// What a decoder met and doesn't know, to be written back.
  package var preserved: (any Sendable)? {
    get { extras?.preserved }
    set { if newValue != nil || extras != nil { extra.preserved = newValue } }
  }
}

/// What few entities have.
package final class EntityExtras: DescriptionExtras, @unchecked Sendable {
  package var uniquenessConstraints: [[String]] = []
  package var compoundIndexes: [[String]] = []
  package var indexes: [NSFetchIndexDescription] = []
  package var spotlightExpression: NSExpression?

  override func copy() -> Self {
    let copy = super.copy()
    copy.uniquenessConstraints = uniquenessConstraints
    copy.compoundIndexes = compoundIndexes
    copy.indexes = indexes.map { $0.duplicate() }
    copy.spotlightExpression = spotlightExpression
    return copy
  }
}

/// What few properties have.
@dynamicMemberLookup
package final class PropertyExtras: DescriptionExtras, @unchecked Sendable {
  // Sendable: as its model: in one place at a time until it is in use, never changed from then on.

  /// What is copied as it is, whatever there will be of it.
  package struct Fields {
    package var validationPredicates: [NSPredicate] = []
    package var validationWarnings: [Any] = []

    // Of attributes.
    package var valueClassName: String?
    package var valueTransformerName: String?
    var minValue: (any Sendable)?
    var maxValue: (any Sendable)?

    // Of relationships: names that stand in for a missing reference.
    package var destinationEntityName: String?
    package var inverseRelationshipName: String?
  }

  private var fields = Fields()
  /// An inverse that does not lead back. Not copied with the rest: the relationship copies it.
  weak var oneSidedInverse: NSRelationshipDescription?

  package subscript<Value>(dynamicMember path: WritableKeyPath<Fields, Value>) -> Value {
    get { fields[keyPath: path] }
    set { fields[keyPath: path] = newValue }
  }

  override func copy() -> Self {
    let copy = super.copy()
    copy.fields = fields
    return copy
  }
}
