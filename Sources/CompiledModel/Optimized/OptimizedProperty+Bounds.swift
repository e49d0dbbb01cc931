import ManagedModel
import PredicateFormat

extension OptimizedProperty {
  /// Adds the predicates of the least and the greatest value, which an image has as numbers, in the
  /// shapes and with the codes that Core Data gives them.
  func addBounds(to property: NSPropertyDescription) {
    if attributeFlags & 0x2 != 0 {
      add(.greaterThanOrEqualTo, minValue, isMinimum: true, to: property)
    }
    if attributeFlags & 0x1 != 0 {
      add(.lessThanOrEqualTo, maxValue, isMinimum: false, to: property)
    }
  }

  private func add(
    _ operation: ComparisonOperator, _ bits: UInt64, isMinimum: Bool,
    to property: NSPropertyDescription
  ) {
    let subject: ExpressionTree
    let bound: PredicateValue
    let code: Int
    switch type {
    case 700:
      subject = .key("length")
      bound = .integer(Int64(bitPattern: bits))
      code = isMinimum ? 1670 : 1660
    case 900:
      subject = .key("timeIntervalSinceReferenceDate")
      bound = .double(Double(bitPattern: bits))
      code = isMinimum ? 1640 : 1630
    case 100, 200, 300:
      subject = .evaluatedObject
      bound = .integer(Int64(bitPattern: bits))
      code = isMinimum ? 1620 : 1610
    default:
      subject = .evaluatedObject
      bound = .double(Double(bitPattern: bits))
      code = isMinimum ? 1620 : 1610
    }
    let tree = PredicateTree.compare(subject, operation, .constant(bound))
    property.extra.validationPredicates.append(tree.predicate)
    property.extra.validationWarnings.append(code)
  }
}
