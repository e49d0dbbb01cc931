import Foundation
import PredicateFormat

/// Finds the first setting in which two properties differ.
///
/// References are compared by the names of their targets. The targets themselves are compared where they are defined,
/// so that cycles terminate and the comparison takes linear time.
enum PropertyComparison {
  /// The name of the first setting that differs, or `nil` when the properties are equal.
  static func difference(
    _ left: NSPropertyDescription, _ right: NSPropertyDescription
  ) -> String? {
    if left === right { return nil }
    guard type(of: left) == type(of: right) else { return "class" }
    return commonDifference(left, right) ?? ownDifference(left, right)
  }

  /// Compares the settings common to all kinds of properties.
  static func commonDifference(
    _ left: NSPropertyDescription, _ right: NSPropertyDescription
  ) -> String? {
    if left.storedName != right.storedName { return "name" }
    if left.flags != right.flags, let flag = flagDifference(left, right) { return flag }
    if left.extras == nil && right.extras == nil { return nil }
    return PropertyFact.difference(left, right)
  }

  private static func flagDifference(
    _ left: NSPropertyDescription, _ right: NSPropertyDescription
  ) -> String? {
    let differing = left.flags.symmetricDifference(right.flags)
    // The old checkbox and an index over the property alone are equivalent.
    return PropertySetting.rows.first {
      differing.contains($0.flag)
        && ($0.flag != .indexed || isIndexedAlone(left) != isIndexedAlone(right))
    }?.name
  }

  private static func isIndexedAlone(_ property: NSPropertyDescription) -> Bool {
    property.isIndexed
      || (property.owner?.indexes ?? []).contains { index in
        index.storedElements.count == 1
          && index.storedElements.first?.propertyName == property.storedName
      }
  }

  private static func ownDifference(
    _ left: NSPropertyDescription, _ right: NSPropertyDescription
  ) -> String? {
    switch (left, right) {
    case (let left as NSRelationshipDescription, let right as NSRelationshipDescription):
      RelationshipFact.difference(left, right)
    case (let left as NSAttributeDescription, let right as NSAttributeDescription):
      AttributeFact.difference(left, right) ?? addedDifference(left, right)
    case (let left as NSFetchedPropertyDescription, let right as NSFetchedPropertyDescription):
      RequestComparison.difference(left.storedFetchRequest, right.storedFetchRequest)
        .map { "fetchRequest.\($0)" }
    case (let left as NSExpressionDescription, let right as NSExpressionDescription):
      ExpressionFact.difference(left, right)
    default: nil
    }
  }

  /// Compares the settings specific to derived and composite attributes.
  private static func addedDifference(
    _ left: NSAttributeDescription, _ right: NSAttributeDescription
  ) -> String? {
    switch (left, right) {
    case (let left as NSDerivedAttributeDescription, let right as NSDerivedAttributeDescription):
      DerivationFact.difference(left, right)
    case (
      let left as NSCompositeAttributeDescription, let right as NSCompositeAttributeDescription
    ):
      CompositeFact.difference(left, right)
    default: nil
    }
  }
}
