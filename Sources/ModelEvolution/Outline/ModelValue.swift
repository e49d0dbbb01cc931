import Foundation
import PredicateFormat

/// The value of a fact in a model, which can be compared, stored and displayed.
///
/// References are by name, so that values of two models can be compared.
public indirect enum ModelValue: Hashable, Sendable {
  /// No value.
  case none
  case flag(Bool)
  case integer(Int64)
  case real(Double)
  case decimal(Decimal)
  case text(String)
  case date(Date)
  case data(Data)
  case uuid(UUID)
  case url(URL)
  /// One of a fixed set of values, such as an attribute type: its number and name.
  case choice(Int, String)
  /// A reference to an entity.
  case entity(String)
  /// A reference to a property by name: a property of the entity that the fact belongs to or, for an inverse, of the
  /// destination; own or inherited.
  case property(String)
  /// Keys joined by dots, starting from the entity of the fact.
  case keyPath(String)
  /// Values whose order is significant.
  case list([ModelValue])
  /// Values whose order is irrelevant, sorted and distinct; create it with `members(_:)`.
  case set([ModelValue])
  /// Values by name.
  case record([String: ModelValue])
  case predicate(ModelPredicate)
  case expression(ModelExpression)
  /// A value of a custom class that models may contain, compared by its own equality.
  case object(ModelObject)

  /// Creates a set of the given values.
  static func members(_ values: some Sequence<ModelValue>) -> ModelValue {
    var seen = Set<ModelValue>()
    let distinct = values.filter { seen.insert($0).inserted }
    return .set(distinct.map { ($0, $0.description) }.sorted { $0.1 < $1.1 }.map(\.0))
  }

  /// A string, or none for nil.
  static func optionalText(_ text: String?) -> ModelValue { text.map(ModelValue.text) ?? .none }

  /// The string, if the value is one.
  public var text: String? {
    if case .text(let text) = self { return text }
    return nil
  }

  /// Whether the value is a flag that is true.
  var isTrue: Bool { self == .flag(true) }

  /// The number, if the value is an integer or a choice.
  public var integer: Int64? {
    switch self {
    case .integer(let number): number
    case .choice(let number, _): Int64(number)
    default: nil
    }
  }

  /// The entity's name, if the value is a reference to one.
  public var entityName: String? {
    if case .entity(let name) = self { return name }
    return nil
  }

  /// The property's name, if the value is a reference to one.
  public var propertyName: String? {
    if case .property(let name) = self { return name }
    return nil
  }

  /// Whether the value is a flag.
  var isFlag: Bool {
    if case .flag = self { return true }
    return false
  }

  /// The elements of a list or a set.
  public var members: [ModelValue] {
    switch self {
    case .list(let values), .set(let values): values
    default: []
    }
  }

  /// The fields of a record.
  public var fields: [String: ModelValue] {
    if case .record(let fields) = self { return fields }
    return [:]
  }
}

/// A predicate, compared by its text.
public struct ModelPredicate: Hashable, @unchecked Sendable {
  // Unchecked: a predicate in a model is immutable.
  let predicate: NSPredicate
  /// The predicate in predicate format.
  public let text: String

  init(_ predicate: NSPredicate) {
    self.predicate = predicate
    text = predicate.description
  }

  /// The predicate with a modified tree; returns itself if the tree is unchanged.
  func with(_ change: (PredicateTree) -> PredicateTree) -> ModelPredicate {
    let tree = predicate.tree
    let changed = change(tree)
    return changed == tree ? self : ModelPredicate(changed.predicate)
  }

  /// Compares contents, not identity.
  public static func == (left: ModelPredicate, right: ModelPredicate) -> Bool {
    ExactText.equal(left.text, right.text)
  }

  /// Hashes the text, which determines equality.
  public func hash(into hasher: inout Hasher) { hasher.combine(ExactText(text)) }
}

/// An expression, compared by its text.
public struct ModelExpression: Hashable, @unchecked Sendable {
  // Unchecked: an expression in a model is immutable.
  let expression: DescribedExpression
  /// The expression in predicate format.
  public let text: String

  init(_ expression: DescribedExpression) {
    self.expression = expression
    text = expression.description
  }

  /// The expression with a modified tree; returns itself if the tree is unchanged.
  func with(_ change: (ExpressionTree) -> ExpressionTree) -> ModelExpression {
    let changed = change(expression.tree)
    return changed == expression.tree ? self : ModelExpression(DescribedExpression(changed))
  }

  /// Compares contents, not identity.
  public static func == (left: ModelExpression, right: ModelExpression) -> Bool {
    ExactText.equal(left.text, right.text)
  }

  /// Hashes the text, which determines equality.
  public func hash(into hasher: inout Hasher) { hasher.combine(ExactText(text)) }
}

/// A value that only its own class can compare, such as the default of a transformable attribute.
public struct ModelObject: Hashable, @unchecked Sendable {
  // Unchecked: a default value in a model is immutable once it is set.
  let object: Any
  /// The object's description.
  public let text: String

  init(_ object: Any, text: String? = nil) {
    self.object = object
    self.text = text ?? Self.text(of: object)
  }

  /// A description that doesn't depend on the order of hashes.
  private static func text(of object: Any) -> String {
    let parts: [String]
    switch object {
    case let members as Set<AnyHashable>: parts = members.map { String(reflecting: $0.base) }
    case let members as NSSet: parts = members.allObjects.map { String(reflecting: $0) }
    case let entries as [String: Any]:
      parts = entries.map { "\(String(reflecting: $0.key)): \(String(reflecting: $0.value))" }
    default: return String(describing: object)
    }
    return "[\(parts.sorted().joined(separator: ", "))]"
  }

  /// Compares contents, not identity.
  public static func == (left: ModelObject, right: ModelObject) -> Bool {
    if let left = left.object as? AnyHashable, let right = right.object as? AnyHashable {
      return left == right
    }
    return left.text == right.text
  }

  // By type, since equal objects may have different descriptions.
  /// Hashes what equality compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(type(of: object)))
  }
}

/// The expressions used by descriptions.
///
/// Foundation has an empty class with the same name, so files that import both need an unambiguous name.
typealias DescribedExpression = PredicateFormat.NSExpression
