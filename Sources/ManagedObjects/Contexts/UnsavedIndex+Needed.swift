import DataModels
import Foundation
import PredicateFormat

extension UnsavedIndex {
  /// A value as the index keeps it: two that are equal for a store are equal here, and perhaps more are.
  enum Key: Hashable {
    case integer(Int64)
    // Swift considers equal more texts than stores do.
    case text(String)
    case uuid(UUID)

    /// Nil for a value of a kind that isn't indexed.
    init?(_ value: StoredValue) {
      switch value {
      case .integer(let number): self = .integer(number)
      case .text(let text): self = .text(text)
      case .box(let box):
        guard let uuid = box.value as? UUID else { return nil }
        self = .uuid(uuid)
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
      case (.UUIDAttributeType, .uuid(let uuid)): self = .uuid(uuid)
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

    /// What a predicate needs: from a comparison of an attribute for equality or with a list, or from each of a
    /// conjunction's; none for any other predicate.
    static func all(of tree: PredicateTree, _ layout: EntityLayout) -> [Needed] {
      switch tree {
      case .compound(.and, _):
        // Members are evaluated in order, and none after one that is false. One that can fail must be evaluated where
        // the others before it are true, whatever those after it say.
        var found: [Needed] = []
        for member in tree.flattenedMembers {
          guard case .comparison(let comparison) = member else { break }
          // Values of an attribute's own kind are looked for in a list, which can't fail.
          if let needed = Needed(comparison, layout) {
            found.append(needed)
          } else if !neverFails(comparison, layout) {
            break
          }
        }
        return found
      case .comparison(let comparison): return [Needed(comparison, layout)].compactMap { $0 }
      default: return []
      }
    }

    private init?(_ comparison: PredicateTree.Comparison, _ layout: EntityLayout) {
      guard comparison.modifier == .direct, comparison.options.isEmpty,
        let property = Self.property(comparison.left, layout),
        case .attribute(let type) = property.kind
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
    }

    /// Whether a value may be one of these.
    func mayBe(_ value: StoredValue) -> Bool { Key(value).map(known.contains) ?? false }

    /// The stored property of the evaluated object that an expression is.
    private static func property(
      _ expression: ExpressionTree, _ layout: EntityLayout
    ) -> PropertyLayout? {
      guard case .keyPath(let path) = expression, path.operand == .evaluatedObject,
        let property = layout.property(path.path), !property.isTransient
      else { return nil }
      return property
    }

    /// Whether a predicate compares an attribute with a constant of its own kind, by an operator that takes any, or a
    /// to-one relationship with an object.
    private static func neverFails(
      _ comparison: PredicateTree.Comparison, _ layout: EntityLayout
    ) -> Bool {
      guard comparison.modifier == .direct,
        [.equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo]
          .contains(comparison.type),
        let property = property(comparison.left, layout),
        case .constant(let constant) = comparison.right
      else { return false }
      switch (property.kind, constant) {
      case (.attribute, .null), (.toOne, .null), (.toOne, .object):
        return comparison.type == .equalTo || comparison.type == .notEqualTo
      case (.attribute(let type), _): return canOrder(type, constant)
      default: return false
      }
    }

    /// Whether a constant can be ordered with every value of an attribute of a type.
    private static func canOrder(_ type: NSAttributeType, _ constant: PredicateValue) -> Bool {
      switch (type, constant) {
      case (.stringAttributeType, .string), (.dateAttributeType, .date),
        (.UUIDAttributeType, .uuid), (.integer16AttributeType, .integer),
        (.integer32AttributeType, .integer), (.integer64AttributeType, .integer),
        (.booleanAttributeType, .bool), (.booleanAttributeType, .integer),
        (.doubleAttributeType, .double), (.doubleAttributeType, .integer):
        true
      default: false
      }
    }
  }
}
