import Foundation

/// What few properties have.
package final class PropertyExtras: DescriptionExtras, @unchecked Sendable {
  package var validationPredicates: [NSPredicate] = []
  package var validationWarnings: [Any] = []

  // Of attributes.
  package var valueClassName: String?
  package var valueTransformerName: String?
  package var minValue: (any Sendable)?
  package var maxValue: (any Sendable)?

  // Of relationships: names that stand in for a missing reference.
  package var destinationEntityName: String?
  package var inverseRelationshipName: String?
  /// An inverse that does not lead back. Not copied with the rest: the relationship copies it.
  weak var oneSidedInverse: NSRelationshipDescription?

  override func copy() -> Self {
    let copy = super.copy()
    copy.validationPredicates = validationPredicates
    copy.validationWarnings = validationWarnings
    copy.valueClassName = valueClassName
    copy.valueTransformerName = valueTransformerName
    copy.minValue = minValue
    copy.maxValue = maxValue
    copy.destinationEntityName = destinationEntityName
    copy.inverseRelationshipName = inverseRelationshipName
    return copy
  }
}
