import Foundation
import OrderedCollections
import PredicateFormat

/// Settings that few entities and properties have, stored separately to keep the instances small.
///
/// A model of 10,000 entities has some 160,000 properties. This object is created when the first of these settings is
/// set.
package class DescriptionExtras: @unchecked Sendable {
  // Sendable: like its model, it is confined to one thread until it is in use, and immutable afterwards.
  final var renamingIdentifier: String?
  final var versionHashModifier: String?
  final var userInfo: OrderedDictionary<AnyHashable, Any> = [:] {
    didSet { userInfoChanges &+= 1 }
  }
  /// The number of times that the user info was set, to detect stale derived values.
  package private(set) final var userInfoChanges = 0
  final var preserved: (any Sendable)?

  required init() {}
}

/// The rare settings of one kind of description.
@dynamicMemberLookup
package final class ExtrasBox<Fields: RareFields>: DescriptionExtras, @unchecked Sendable {
  // Sendable: see the superclass.
  private var fields = Fields()

  package subscript<Value>(dynamicMember path: WritableKeyPath<Fields, Value>) -> Value {
    get { fields[keyPath: path] }
    set { fields[keyPath: path] = newValue }
  }

  /// Creates a copy with the same content.
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

/// The additional rare settings of one kind of description, copied as a whole.
package protocol RareFields {
  init()
  /// The settings for a description's copy.
  func copied() -> Self
}

/// The rare settings of entities.
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

/// The rare settings of properties.
package struct RarePropertyFields: RareFields {
  var validationPredicates: [NSPredicate] = []
  var validationWarnings: [Any] = []

  // Attributes.
  var valueClassName: String?
  var valueTransformerName: String?
  var minValue: (any Sendable)?
  var maxValue: (any Sendable)?

  // Relationships: names used in the absence of a reference, and an inverse that does not refer back. The latter isn't
  // copied with the rest: the relationship copies it.
  var destinationEntityName: String?
  var inverseRelationshipName: String?
  weak var oneSidedInverse: NSRelationshipDescription?

  package init() {}

  var isEmpty: Bool {
    validationPredicates.isEmpty && validationWarnings.isEmpty && valueClassName == nil
      && valueTransformerName == nil && minValue == nil && maxValue == nil
      && destinationEntityName == nil && inverseRelationshipName == nil && oneSidedInverse == nil
  }

  package func copied() -> RarePropertyFields {
    var copy = self
    copy.oneSidedInverse = nil
    return copy
  }
}

package typealias EntityExtras = ExtrasBox<RareEntityFields>
package typealias PropertyExtras = ExtrasBox<RarePropertyFields>

extension ExtrasBox where Fields == RarePropertyFields {
  /// Whether nothing is set, and no user info ever was.
  var isEmpty: Bool {
    renamingIdentifier == nil && versionHashModifier == nil && userInfoChanges == 0
      && preserved == nil && fields.isEmpty
  }
}

/// A description with separately stored rare settings.
package protocol ExtrasBacked: AnyObject {
  /// The type of the rare settings.
  associatedtype Extras: DescriptionExtras

  /// The rare settings; `nil` until needed.
  var extras: Extras? { get set }

  /// Called by every setter before it changes anything.
  func willChange(_ selector: StaticString)
}

extension ExtrasBacked {
  /// The rare settings, created if necessary.
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

  /// Unknown content found by a decoder, to be written back.
  var preserved: (any Sendable)? {
    get { extras?.preserved }
    set { if newValue != nil || extras != nil { extra.preserved = newValue } }
  }
}
