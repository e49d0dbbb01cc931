import Foundation
import PredicateFormat

/// An attribute whose value the store computes when an object is saved.
///
/// Its expression is a key path (`name`, `owner.name`), a count or an aggregate of a relationship,
/// `canonical:(…)`, `uppercase:(…)`, `lowercase:(…)`, or `now()`.
open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
  // Sendable: as its model: in one place at a time until it is in use, never changed from then on.
  final var storedExpression: NSExpression?
  final var storedFilter: NSPredicate?

  /// Makes an optional, read-only attribute without a name, of undefined type.
  public override init() {
    super.init()
    flags.insert(.readOnly)
  }

  /// Makes an attribute with the settings a decoder has at hand; nothing is checked.
  package init(
    name: String, flags: PropertyFlags, type: NSAttributeType,
    defaultValue: AttributeValue = .none, expression: NSExpression?, filter: NSPredicate? = nil
  ) {
    storedExpression = expression
    storedFilter = filter
    super.init(name: name, flags: flags, type: type, defaultValue: defaultValue)
  }

  /// What the value is computed with.
  open var derivationExpression: NSExpression? {
    get { storedExpression }
    set {
      willChange("setDerivationExpression:", of: "NSDerivedAttributeDescription")
      storedExpression = newValue
    }
  }

  /// Which related objects an aggregate takes in; `nil` for all. Archives have a place for it and
  /// version hashes count it, though Core Data's public interface doesn't show it.
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
