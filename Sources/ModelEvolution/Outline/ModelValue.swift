import Foundation
import PredicateFormat

/// What a model says about one fact, as a value that can be compared, kept and shown.
///
/// References are by name, so that values of two models compare.
public indirect enum ModelValue: Hashable, Sendable {
  /// Nothing is said.
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
  /// One of a fixed set, such as an attribute type: its number and its word.
  case choice(Int, String)
  /// A reference to an entity.
  case entity(String)
  /// A reference to a property by name: of the entity the fact belongs to, or, for an inverse, of
  /// the destination; its own or inherited.
  case property(String)
  /// Keys joined by dots, from the entity that the fact is about.
  case keyPath(String)
  /// Values whose order means something.
  case list([ModelValue])
  /// Values whose order means nothing, kept sorted and distinct: make it with `members(_:)`.
  case set([ModelValue])
  /// Values by name.
  case record([String: ModelValue])
  case predicate(ModelPredicate)
  case expression(ModelExpression)
  /// A value of a class that models may hold and that is known only by its own equality.
  case object(ModelObject)

  /// A set of the given values.
  static func members(_ values: some Sequence<ModelValue>) -> ModelValue {
    var seen = Set<ModelValue>()
    let distinct = values.filter { seen.insert($0).inserted }
    return .set(distinct.map { ($0, $0.description) }.sorted { $0.1 < $1.1 }.map(\.0))
  }

  /// A text, or nothing for nil.
  static func optionalText(_ text: String?) -> ModelValue { text.map(ModelValue.text) ?? .none }

  /// The text, when it is one.
  public var text: String? {
    if case .text(let text) = self { return text }
    return nil
  }

  /// The truth, when it is a flag; false otherwise.
  var isTrue: Bool { self == .flag(true) }

  /// The number, when it is an integer or a choice.
  public var integer: Int64? {
    switch self {
    case .integer(let number): number
    case .choice(let number, _): Int64(number)
    default: nil
    }
  }

  /// The entity's name, when it is a reference to one.
  public var entityName: String? {
    if case .entity(let name) = self { return name }
    return nil
  }

  /// The property's name, when it is a reference to one.
  public var propertyName: String? {
    if case .property(let name) = self { return name }
    return nil
  }

  /// Whether it is a yes or no.
  var isFlag: Bool {
    if case .flag = self { return true }
    return false
  }

  /// The members of a list or a set.
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

/// A predicate, equal to another when their texts are equal.
public struct ModelPredicate: Hashable, @unchecked Sendable {
  // Unchecked: a predicate in a model is never changed after it was made.
  let predicate: NSPredicate
  /// The predicate in the predicate language.
  public let text: String

  init(_ predicate: NSPredicate) {
    self.predicate = predicate
    text = predicate.description
  }

  /// The predicate with another tree; itself when the tree is the same.
  func with(_ change: (PredicateTree) -> PredicateTree) -> ModelPredicate {
    let tree = predicate.tree
    let changed = change(tree)
    return changed == tree ? self : ModelPredicate(changed.predicate)
  }

  /// Compares what is said, not identity.
  public static func == (left: ModelPredicate, right: ModelPredicate) -> Bool {
    left.text == right.text
  }

  /// Hashes what equality compares.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// An expression, equal to another when their texts are equal.
public struct ModelExpression: Hashable, @unchecked Sendable {
  // Unchecked: an expression in a model is never changed after it was made.
  let expression: DescribedExpression
  /// The expression in the predicate language.
  public let text: String

  init(_ expression: DescribedExpression) {
    self.expression = expression
    text = expression.description
  }

  /// The expression with another tree; itself when the tree is the same.
  func with(_ change: (ExpressionTree) -> ExpressionTree) -> ModelExpression {
    let changed = change(expression.tree)
    return changed == expression.tree ? self : ModelExpression(DescribedExpression(changed))
  }

  /// Compares what is said, not identity.
  public static func == (left: ModelExpression, right: ModelExpression) -> Bool {
    left.text == right.text
  }

  /// Hashes what equality compares.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// A value that only its own class can compare, such as the default of a transformable attribute.
public struct ModelObject: Hashable, @unchecked Sendable {
  // Unchecked: a default value in a model is never changed after it was set.
  let object: Any
  /// How the object shows itself.
  public let text: String

  init(_ object: Any, text: String? = nil) {
    self.object = object
    self.text = text ?? String(describing: object)
  }

  /// Compares what is said, not identity.
  public static func == (left: ModelObject, right: ModelObject) -> Bool {
    if let left = left.object as? AnyHashable, let right = right.object as? AnyHashable {
      return left == right
    }
    return left.text == right.text
  }

  // By type: equal objects may show themselves differently.
  /// Hashes what equality compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(type(of: object)))
  }
}

/// The expressions that descriptions hold.
///
/// Foundation has an empty class of the same name, so files that import both need one name for it.
typealias DescribedExpression = PredicateFormat.NSExpression
