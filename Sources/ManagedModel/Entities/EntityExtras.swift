import Foundation
import OrderedCollections
import PredicateFormat

/// What few entities have, kept out of the instance.
package final class EntityExtras: @unchecked Sendable {
  package var renamingIdentifier: String?
  package var versionHashModifier: String?
  package var userInfo: OrderedDictionary<AnyHashable, Any> = [:]
  package var uniquenessConstraints: [[String]] = []
  package var compoundIndexes: [[String]] = []
  package var indexes: [NSFetchIndexDescription] = []
  package var spotlightExpression: NSExpression?
  package var preserved: (any Sendable)?

  package init() {}

  func copy() -> EntityExtras {
    let copy = EntityExtras()
    copy.renamingIdentifier = renamingIdentifier
    copy.versionHashModifier = versionHashModifier
    copy.userInfo = userInfo
    copy.uniquenessConstraints = uniquenessConstraints
    copy.compoundIndexes = compoundIndexes
    copy.indexes = indexes.map { $0.duplicate() }
    copy.spotlightExpression = spotlightExpression
    copy.preserved = preserved
    return copy
  }
}
