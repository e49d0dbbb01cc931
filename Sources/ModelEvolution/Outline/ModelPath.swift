import PredicateFormat

/// A location in a model: the model itself, an entity, a property of an entity, and so on.
///
/// Paths are ordered by name, with an entity before its contents, so that a sorted list of paths reads like the model's
/// outline.
///
/// ```swift
/// ModelPath.property("name", of: "Author").description  // "Author.name"
/// ```
public enum ModelPath: Hashable, Sendable {
  /// The model as a whole.
  case model
  /// An entity.
  case entity(String)
  /// A property declared by an entity.
  case property(String, of: String)
  /// A fetch index of an entity.
  case index(String, of: String)
  /// A fetch request template.
  case fetchRequest(String)
  /// A named configuration.
  case configuration(String)

  /// The name of the element; empty for the model.
  public var name: String {
    switch self {
    case .model: ""
    case .entity(let name), .fetchRequest(let name), .configuration(let name): name
    case .property(let name, _), .index(let name, _): name
    }
  }

  /// The name of the entity, or of the containing entity; nil for the model, templates and configurations.
  public var entityName: String? {
    switch self {
    case .entity(let name): name
    case .property(_, let entity), .index(_, let entity): entity
    case .model, .fetchRequest, .configuration: nil
    }
  }

  /// Whether the path is that of a property or an index.
  public var isInsideEntity: Bool {
    switch self {
    case .property, .index: true
    case .model, .entity, .fetchRequest, .configuration: false
    }
  }

  /// The same path with another name.
  func renamed(_ name: String) -> ModelPath {
    switch self {
    case .model: .model
    case .entity: .entity(name)
    case .property(_, let entity): .property(name, of: entity)
    case .index(_, let entity): .index(name, of: entity)
    case .fetchRequest: .fetchRequest(name)
    case .configuration: .configuration(name)
    }
  }

  /// The same path inside another entity; paths outside entities are unchanged.
  func inside(_ entity: String) -> ModelPath {
    switch self {
    case .property(let name, _): .property(name, of: entity)
    case .index(let name, _): .index(name, of: entity)
    case .model, .entity, .fetchRequest, .configuration: self
    }
  }
}

// Names are compared to the byte, as by Core Data: Swift's own equality would take `é` as one scalar and as two for the
// same name, so that a merge would lose the change.
extension ModelPath {
  /// Whether two paths are the same, to the byte.
  public static func == (left: ModelPath, right: ModelPath) -> Bool {
    left.level == right.level && ExactText.equal(left.name, right.name)
      && ExactText.equal(left.entityName ?? "", right.entityName ?? "")
  }

  /// Hashes what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(level)
    hasher.combine(ExactText(name))
    if isInsideEntity { hasher.combine(ExactText(entityName ?? "")) }
  }

  /// The number of the case.
  private var level: Int {
    switch self {
    case .model: 0
    case .entity: 1
    case .property: 2
    case .index: 3
    case .fetchRequest: 4
    case .configuration: 5
    }
  }
}

extension ModelPath: CustomStringConvertible {
  /// The path for display: `Author`, `Author.name`, `Author[byName]`, `fetch request All`, `configuration Cloud`,
  /// `model`.
  public var description: String {
    switch self {
    case .model: "model"
    case .entity(let name): name
    case .property(let name, let entity): "\(entity).\(name)"
    case .index(let name, let entity): "\(entity)[\(name)]"
    case .fetchRequest(let name): "fetch request \(name)"
    case .configuration(let name): "configuration \(name)"
    }
  }
}

extension ModelPath: Comparable {
  private var order: (Int, String, Int, String) {
    switch self {
    case .model: (0, "", 0, "")
    case .entity(let name): (1, name, 0, "")
    case .property(let name, let entity): (1, entity, 1, name)
    case .index(let name, let entity): (1, entity, 2, name)
    case .fetchRequest(let name): (2, name, 0, "")
    case .configuration(let name): (3, name, 0, "")
    }
  }

  /// Orders paths by location, then by kind.
  public static func < (left: ModelPath, right: ModelPath) -> Bool {
    left.order < right.order
  }
}
