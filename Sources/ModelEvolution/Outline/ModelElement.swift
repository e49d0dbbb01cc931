/// What an element of a model is.
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

  /// Whether the element is a property of an entity.
  public var isProperty: Bool {
    switch self {
    case .attribute, .derivedAttribute, .compositeAttribute, .relationship, .fetchedProperty,
      .expressionProperty:
      true
    case .model, .entity, .index, .fetchRequest, .configuration: false
    }
  }

  /// Whether the element is an attribute of any sort.
  public var isAttribute: Bool {
    self == .attribute || self == .derivedAttribute || self == .compositeAttribute
  }
}

/// One element of a model as a value: its kind, and what each fact of that kind says.
///
/// Which facts a kind has, what each is called and how it is read and written is in one table,
/// `Fact`; `values` are in the order of that table.
public struct ModelElement: Hashable, Sendable {
  /// What the element is.
  public let kind: ModelElementKind
  var values: [ModelValue]

  /// The names of the facts that elements of this kind have, in their fixed order.
  public var factNames: [String] { Fact.table(for: kind).map(\.name) }

  /// What the element says under a fact's name; `.none` for a name its kind doesn't have.
  public subscript(_ factName: String) -> ModelValue {
    guard let index = Fact.index(of: factName, for: kind) else { return .none }
    return values[index]
  }

  /// Each fact with its value.
  var facts: some Sequence<(Fact, ModelValue)> { zip(Fact.table(for: kind), values) }
}
