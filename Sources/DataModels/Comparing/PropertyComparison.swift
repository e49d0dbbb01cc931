import Foundation
import PredicateFormat

/// Finds out in which setting two properties differ.
///
/// References are compared by the names of what they point at: the things themselves are compared
/// where they are defined, so that circles end and the whole takes linear time.
enum PropertyComparison {
  /// The name of the first setting that differs, or `nil` when the properties are equal.
  static func difference(
    _ left: NSPropertyDescription, _ right: NSPropertyDescription
  ) -> String? {
    if left === right { return nil }
    guard type(of: left) == type(of: right) else { return "class" }
    return commonDifference(left, right) ?? ownDifference(left, right)
  }

  private static func commonDifference(
    _ left: NSPropertyDescription, _ right: NSPropertyDescription
  ) -> String? {
    if left.storedName != right.storedName { return "name" }
    if left.flags != right.flags, let flag = flagDifference(left, right) { return flag }
    if left.extras == nil && right.extras == nil { return nil }
    if left.renamingIdentifier != right.renamingIdentifier { return "renamingIdentifier" }
    if left.versionHashModifier != right.versionHashModifier { return "versionHashModifier" }
    if !ValueEquality.areEqual(left.orderedUserInfo, right.orderedUserInfo) { return "userInfo" }
    if !PredicateEquality.areEqual(left.validationPredicates, right.validationPredicates) {
      return "validationPredicates"
    }
    if !ValueEquality.areEqual(left.validationWarnings, right.validationWarnings) {
      return "validationWarnings"
    }
    return nil
  }

  private static func flagDifference(
    _ left: NSPropertyDescription, _ right: NSPropertyDescription
  ) -> String? {
    let differing = left.flags.symmetricDifference(right.flags)
    // The old checkbox and an index of the property alone say the same.
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
      return difference(left, right)
    case (let left as NSAttributeDescription, let right as NSAttributeDescription):
      return difference(left, right)
    case (let left as NSFetchedPropertyDescription, let right as NSFetchedPropertyDescription):
      return RequestComparison.difference(left.storedFetchRequest, right.storedFetchRequest)
        .map { "fetchRequest.\($0)" }
    case (let left as NSExpressionDescription, let right as NSExpressionDescription):
      if left.storedResultType != right.storedResultType { return "expressionResultType" }
      return left.storedExpression == right.storedExpression ? nil : "expression"
    default: return nil
    }
  }

  private static func difference(
    _ left: NSRelationshipDescription, _ right: NSRelationshipDescription
  ) -> String? {
    if left.destinationEntityName != right.destinationEntityName { return "destinationEntity" }
    if left.inverseRelationshipName != right.inverseRelationshipName {
      return "inverseRelationship"
    }
    if left.storedMaxCount != right.storedMaxCount { return "maxCount" }
    if left.storedMinCount != right.storedMinCount { return "minCount" }
    return left.storedDeleteRule == right.storedDeleteRule ? nil : "deleteRule"
  }

  private static func difference(
    _ left: NSAttributeDescription, _ right: NSAttributeDescription
  ) -> String? {
    if left.storedType != right.storedType { return "attributeType" }
    if left.attributeValueClassName != right.attributeValueClassName {
      return "attributeValueClassName"
    }
    if left.valueTransformerName != right.valueTransformerName { return "valueTransformerName" }
    if !ValueEquality.areEqual(left.storedDefault, right.storedDefault, as: left.storedType) {
      return "defaultValue"
    }
    if !ValueEquality.areEqual(left.inlineMinValue, right.inlineMinValue) { return "minValue" }
    if !ValueEquality.areEqual(left.inlineMaxValue, right.inlineMaxValue) { return "maxValue" }
    switch (left, right) {
    case (let left as NSDerivedAttributeDescription, let right as NSDerivedAttributeDescription):
      if left.storedExpression != right.storedExpression { return "derivationExpression" }
      return PredicateEquality.areEqual(left.storedFilter, right.storedFilter)
        ? nil : "filteringPredicate"
    case (
      let left as NSCompositeAttributeDescription, let right as NSCompositeAttributeDescription
    ):
      return elementsDiffer(left, right) ? "elements" : nil
    default: return nil
    }
  }

  /// Compares the elements of composites at every depth, in a loop; each composite once.
  private static func elementsDiffer(
    _ left: NSCompositeAttributeDescription, _ right: NSCompositeAttributeDescription
  ) -> Bool {
    var seen = Set<ObjectIdentifier>()
    var pending = [(left, right)]
    while let (left, right) = pending.popLast() {
      guard seen.insert(ObjectIdentifier(left)).inserted else { continue }
      guard left.storedElements.count == right.storedElements.count else { return true }
      for (left, right) in zip(left.storedElements, right.storedElements) {
        if let left = left as? NSCompositeAttributeDescription,
          let right = right as? NSCompositeAttributeDescription
        {
          if commonDifference(left, right) != nil { return true }
          pending.append((left, right))
        } else if difference(left as NSPropertyDescription, right) != nil {
          return true
        }
      }
    }
    return false
  }
}
