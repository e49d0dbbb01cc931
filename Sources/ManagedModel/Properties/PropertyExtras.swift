import Foundation
import OrderedCollections

/// What few properties have, kept out of the instance so that the many stay small.
///
/// A model of 10,000 entities has some 160,000 properties; the box is made when the first of these
/// values is set.
package final class PropertyExtras: @unchecked Sendable {
  package var renamingIdentifier: String?
  package var versionHashModifier: String?
  package var userInfo: OrderedDictionary<AnyHashable, Any> = [:]
  package var validationPredicates: [NSPredicate] = []
  package var validationWarnings: [Any] = []
  package var preserved: (any Sendable)?

  // Of attributes.
  package var valueClassName: String?
  package var valueTransformerName: String?
  package var minValue: (any Sendable)?
  package var maxValue: (any Sendable)?

  // Of relationships: names that stand in for a missing reference.
  package var destinationEntityName: String?
  package var inverseRelationshipName: String?

  package init() {}

  func copy() -> PropertyExtras {
    let copy = PropertyExtras()
    copy.renamingIdentifier = renamingIdentifier
    copy.versionHashModifier = versionHashModifier
    copy.userInfo = userInfo
    copy.validationPredicates = validationPredicates
    copy.validationWarnings = validationWarnings
    copy.preserved = preserved
    copy.valueClassName = valueClassName
    copy.valueTransformerName = valueTransformerName
    copy.minValue = minValue
    copy.maxValue = maxValue
    copy.destinationEntityName = destinationEntityName
    copy.inverseRelationshipName = inverseRelationshipName
    return copy
  }
}
