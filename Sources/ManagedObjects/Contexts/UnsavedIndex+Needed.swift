import DataModels
import PredicateFormat

extension UnsavedIndex {
  /// A value as the index keeps it: two that are equal for a store are equal here, and perhaps more are.
  enum Key: Hashable {
    case integer(Int64)
    // Swift considers equal more texts than stores do.
    case text(String)

    /// Nil for a value of a kind that isn't indexed.
    init?(_ value: StoredValue) {
      switch value {
      case .integer(let number): self = .integer(number)
      case .text(let text): self = .text(text)
      default: return nil
      }
    }

    /// The key of a constant that an attribute is compared with; nil where other values may equal it, too.
    fileprivate init?(_ constant: PredicateValue, _ type: NSAttributeType) {
      switch (type, constant) {
      case (.stringAttributeType, .string(let text)): self = .text(text)
      case (.integer16AttributeType, .integer(let number)),
        (.integer32AttributeType, .integer(let number)),
        (.integer64AttributeType, .integer(let number)):
        self = .integer(number)
      default: return nil
      }
    }
  }

  /// The values of which an object must have one in a slot to satisfy a predicate.
  struct Needed {
    let slot: Int
    /// The values, in the predicate's order.
    let keys: [Key]
    private let known: Set<Key>

    /// From a comparison of an attribute for equality or with a list, or from a conjunction with one; nil for any other
    /// predicate.
    init?(_ tree: PredicateTree, _ layout: EntityLayout) {
      switch tree {
      case .compound(.and, let members):
        // Members are evaluated in order, and none after one that is false. One that can fail must be evaluated where
        // the others before it are true, whatever those after it say.
        for member in members {
          if let needed = Needed(member, layout) {
            self = needed
            return
          }
          guard Self.neverFails(member, layout) else { return nil }
        }
        return nil
      case .comparison(let comparison):
        guard comparison.modifier == .direct, comparison.options.isEmpty,
          let (property, type) = Self.attribute(comparison.left, layout)
        else { return nil }
        let keys: [Key?]
        switch (comparison.type, comparison.right) {
        case (.equalTo, .constant(let constant)): keys = [Key(constant, type)]
        case (.in, .constant(.array(let elements))), (.in, .constant(.set(let elements))):
          keys = elements.map { Key($0, type) }
        case (.in, .aggregate(let elements)):
          keys = elements.map { element in
            guard case .constant(let constant) = element else { return nil }
            return Key(constant, type)
          }
        default: return nil
        }
        let indexed = keys.compactMap { $0 }
        guard indexed.count == keys.count else { return nil }
        (slot, self.keys, known) = (property.slot, indexed, Set(indexed))
      default: return nil
      }
    }

    /// Whether a value may be one of these.
    func mayBe(_ value: StoredValue) -> Bool { Key(value).map(known.contains) ?? false }

    /// The stored attribute of the evaluated object that an expression is.
    private static func attribute(
      _ expression: ExpressionTree, _ layout: EntityLayout
    ) -> (property: PropertyLayout, type: NSAttributeType)? {
      guard case .keyPath(let path) = expression, path.operand == .evaluatedObject,
        let property = layout.property(path.path), case .attribute(let type) = property.kind,
        !property.isTransient
      else { return nil }
      return (property, type)
    }

    /// Whether a predicate compares an attribute with a constant of its own kind, by an operator that takes any.
    private static func neverFails(_ tree: PredicateTree, _ layout: EntityLayout) -> Bool {
      guard case .comparison(let comparison) = tree, comparison.modifier == .direct,
        [.equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo]
          .contains(comparison.type),
        let (_, type) = attribute(comparison.left, layout),
        case .constant(let constant) = comparison.right
      else { return false }
      switch (type, constant) {
      case (_, .null): return comparison.type == .equalTo || comparison.type == .notEqualTo
      case (.stringAttributeType, .string), (.dateAttributeType, .date): return true
      case (.integer16AttributeType, .integer), (.integer32AttributeType, .integer),
        (.integer64AttributeType, .integer), (.booleanAttributeType, .bool),
        (.booleanAttributeType, .integer), (.doubleAttributeType, .double),
        (.doubleAttributeType, .integer):
        return true
      default: return false
      }
    }
  }
}
