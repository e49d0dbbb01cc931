import Foundation
import OrderedCollections
import PredicateFormat

/// What few entities and properties have, kept out of the instance so that the many stay small.
///
/// A model of 10,000 entities has some 160,000 properties; the box is made when the first of these
/// values is set.
package class DescriptionExtras: @unchecked Sendable {
  // Sendable: as its model: in one place at a time until it is in use, never changed from then on.
  final var renamingIdentifier: String?
  final var versionHashModifier: String?
  final var userInfo: OrderedDictionary<AnyHashable, Any> = [:] {
    didSet { userInfoChanges &+= 1 }
  }
  /// How often the user info was set: what was made of it may be out of date.
  package private(set) final var userInfoChanges = 0
  final var preserved: (any Sendable)?

  required init() {}
}

/// The box of one kind of description.
@dynamicMemberLookup
package final class ExtrasBox<Fields: RareFields>: DescriptionExtras, @unchecked Sendable {
  // Sendable: as above.
  private var fields = Fields()

  package subscript<Value>(dynamicMember path: WritableKeyPath<Fields, Value>) -> Value {
    get { fields[keyPath: path] }
    set { fields[keyPath: path] = newValue }
  }

  /// A box of the same content.
  func copy() -> ExtrasBox {
    let copy = ExtrasBox()
    copy.renamingIdentifier = renamingIdentifier
    copy.versionHashModifier = versionHashModifier
    copy.userInfo = userInfo
    copy.preserved = preserved
    copy.fields = fields.copied()
    return copy
  }
}

/// What the boxes of one kind of description have besides. It is copied as a whole, whatever there will be of it.
package protocol RareFields {
  init()
  /// The fields of a description's copy.
  func copied() -> Self
}

/// What few entities have.
package struct RareEntityFields: RareFields {
  var uniquenessConstraints: [[String]] = []
  var compoundIndexes: [[String]] = []
  var indexes: [NSFetchIndexDescription] = []
  var spotlightExpression: NSExpression?

  package init() {}

  package func copied() -> RareEntityFields {
    var copy = self
    copy.indexes = indexes.map { $0.duplicate() }
    return copy
  }
}

/// What few properties have.
package struct RarePropertyFields: RareFields {
  var validationPredicates: [NSPredicate] = []
  var validationWarnings: [Any] = []

  // Of attributes.
  var valueClassName: String?
  var valueTransformerName: String?
  var minValue: (any Sendable)?
  var maxValue: (any Sendable)?

  // Of relationships: names that stand in for a missing reference, and an inverse that does not lead back. It isn't
  // copied with the rest: the relationship copies it.
  var destinationEntityName: String?
  var inverseRelationshipName: String?
  weak var oneSidedInverse: NSRelationshipDescription?

  package init() {}

  package func copied() -> RarePropertyFields {
    var copy = self
    copy.oneSidedInverse = nil
    return copy
  }
}

package typealias EntityExtras = ExtrasBox<RareEntityFields>
package typealias PropertyExtras = ExtrasBox<RarePropertyFields>

/// A description with a box of what it rarely has.
package protocol ExtrasBacked: AnyObject {
  /// The kind of box.
  associatedtype Extras: DescriptionExtras

  /// The box; `nil` until it is needed.
  var extras: Extras? { get set }

  /// Called by every setter before it changes anything.
  func willChange(_ selector: StaticString)
}

extension ExtrasBacked {
  /// The box, made when there is none.
  var extra: Extras {
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
  var preserved: (any Sendable)? {
    get { extras?.preserved }
    set { if newValue != nil || extras != nil { extra.preserved = newValue } }
  }
}
