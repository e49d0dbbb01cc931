/// The kind of an element of a model.
public enum ModelElementKind: String, Hashable, Sendable, CaseIterable {
  case model
  case entity
  case attribute
  case derivedAttribute = "derived attribute"
  case compositeAttribute = "composite attribute"
  case relationship
  case fetchedProperty = "fetched property"
  case expressionProperty = "expression"
  case index
  case fetchRequest = "fetch request"
  case configuration

  /// The kind's place among all.
  var place: Int {
    switch self {
    case .model: 0
    case .entity: 1
    case .attribute: 2
    case .derivedAttribute: 3
    case .compositeAttribute: 4
    case .relationship: 5
    case .fetchedProperty: 6
    case .expressionProperty: 7
    case .index: 8
    case .fetchRequest: 9
    case .configuration: 10
    }
  }

  /// Whether the element is a property of an entity.
  public var isProperty: Bool {
    switch self {
    case .attribute, .derivedAttribute, .compositeAttribute, .relationship, .fetchedProperty,
      .expressionProperty:
      true
    case .model, .entity, .index, .fetchRequest, .configuration: false
    }
  }

  /// Whether the element is an attribute of any kind.
  public var isAttribute: Bool {
    self == .attribute || self == .derivedAttribute || self == .compositeAttribute
  }
}

/// An element of a model as a value: its kind, and the value of each fact of that kind.
///
/// The table `Fact` defines the facts of a kind, their names, and how they are read and written; `values` is in the
/// order of that table.
public struct ModelElement: Hashable, Sendable {
  /// The kind of the element.
  public let kind: ModelElementKind
  var values: [ModelValue]

  /// The names of the facts of this kind of element, in a fixed order.
  public var factNames: [String] { Fact.table(for: kind).map(\.name) }

  /// The value of a fact; `.none` for a name that this kind of element doesn't have.
  public subscript(_ factName: String) -> ModelValue {
    guard let index = Fact.index(of: factName, for: kind) else { return .none }
    return values[index]
  }

  /// What the element says, in the order of ``factNames``.
  package var factValues: [ModelValue] { values }

  /// Each fact with its value.
  var facts: some Sequence<(Fact, ModelValue)> { zip(Fact.table(for: kind), values) }
}
