import DataModels

/// A model as a value: every element by its path, with all its facts.
///
/// An outline can be compared and merged without accessing the original model, and can be used on any thread. Two
/// outlines are equal if they have equal elements under equal paths; the order of the elements is irrelevant.
///
/// ```swift
/// let outline = ModelOutline(of: model)
/// outline[.property("name", of: "Author")]?["optional"]  // .flag(true)
/// ```
public struct ModelOutline: Sendable {
  var elements = OutlineElements()

  init() {}

  /// The element with a path; nil when there is none.
  public subscript(_ path: ModelPath) -> ModelElement? { elements[path] }

  /// The paths of all elements, in the model's order.
  public var paths: some Collection<ModelPath> { elements.lazy.map(\.key) }

  /// The number of elements of each kind.
  package var counts: [ModelElementKind: Int] { elements.counts }

  /// The name of an entity's parent; nil if it has none.
  func superentity(of entity: String) -> String? {
    elements[.entity(entity)]?["superentity"].entityName
  }

  /// An entity and its ancestors, nearest first; stops at a cycle.
  func lineage(of entity: String) -> [String] {
    var lineage = [entity]
    var seen: Set = [entity]
    while let parent = lineage.last.flatMap(superentity(of:)), seen.insert(parent).inserted {
      lineage.append(parent)
    }
    return lineage
  }

  /// The path of an entity's property with a name, own or inherited.
  func property(_ name: String, visibleIn entity: String) -> ModelPath? {
    let own = ModelPath.property(name, of: entity)
    if elements[own] != nil { return own }
    return lineage(of: entity).dropFirst().lazy
      .map { ModelPath.property(name, of: $0) }
      .first { elements[$0] != nil }
  }
}

extension ModelOutline: Equatable {
  /// Compares contents, not identity.
  public static func == (left: ModelOutline, right: ModelOutline) -> Bool {
    left.elements.count == right.elements.count
      && left.elements.allSatisfy { path, element in right.elements[path] == element }
  }
}
