import Foundation
import PredicateFormat

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
