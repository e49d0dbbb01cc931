import Foundation
import PredicateFormat

/// An attribute whose value the store computes when an object is saved.
///
/// ```swift
/// let count = NSDerivedAttributeDescription()
/// count.name = "orderCount"
/// count.type = .integer64
/// count.derivationExpression = NSExpression(format: "orders.@count")
/// ```
///
/// Its expression is a key path (`name`, `owner.name`), a count or an aggregate of a relationship,
/// `canonical:(…)`, `uppercase:(…)`, `lowercase:(…)`, or `now()`.
open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
  // Sendable: like its model, it is confined to one thread until it is in use, and immutable afterwards.
  final var storedExpression: NSExpression?
  final var storedFilter: NSPredicate?

  /// Creates an optional, read-only attribute without a name, of undefined type.
  public override init() {
    super.init()
    flags.insert(.readOnly)
  }

  /// Creates an attribute with the settings that a decoder has available, without checks.
  package init(
    name: String, flags: PropertyFlags, type: NSAttributeType,
    defaultValue: AttributeValue = .none, expression: NSExpression?, filter: NSPredicate? = nil
  ) {
    storedExpression = expression
    storedFilter = filter
    super.init(name: name, flags: flags, type: type, defaultValue: defaultValue)
  }

  /// The expression from which the value is computed.
  open var derivationExpression: NSExpression? {
    get { storedExpression }
    set {
      willChange("setDerivationExpression:", of: "NSDerivedAttributeDescription")
      storedExpression = newValue
    }
  }

  /// A predicate for the related objects that an aggregate includes; `nil` for all. Archives store it and version
  /// hashes include it, although Core Data's public interface doesn't expose it.
  package final var filteringPredicate: NSPredicate? {
    get { storedFilter }
    set {
      willChange("setFilteringPredicate:", of: "NSDerivedAttributeDescription")
      storedFilter = newValue
    }
  }

  override func shallowCopy() -> NSPropertyDescription {
    let copy = NSDerivedAttributeDescription(
      name: storedName, flags: flags, type: storedType, defaultValue: storedDefault,
      expression: storedExpression, filter: storedFilter)
    copyCommonSettings(to: copy)
    return copy
  }
}
