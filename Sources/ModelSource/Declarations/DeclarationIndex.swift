import DataModels

/// Finds a model's declarations by name, and follows the entity hierarchy without being trapped in cycles.
struct DeclarationIndex: Sendable {
  /// The declaration of an entity's property.
  enum Property: Sendable {
    case attribute(AttributeDeclaration)
    case relationship(RelationshipDeclaration)
    case fetched(FetchedPropertyDeclaration)
  }

  /// The longest chain of superentities. Every property lookup may follow it to its end.
  static let deepestHierarchy = 256

  let model: ModelDeclaration
  /// The first entity with each name.
  let entities: [String: Int]
  /// Each entity's superentity, unless it has none or is in a cycle.
  let parents: [Int?]
  /// The entities that are their own ancestors, or too deep in the hierarchy.
  let misplaced: Set<Int>
  let composites: [String: Int]
  private let properties: [[String: Property]]

  init(_ model: ModelDeclaration) {
    self.model = model
    let entities = Self.index(model.entities.map(\.name))
    self.entities = entities
    composites = Self.index(model.composites.map(\.name))
    properties = model.entities.map(Self.table)
    let declared = model.entities.map { entity in entity.parent.flatMap { entities[$0] } }
    misplaced = Self.misplaced(declared)
    let excluded = misplaced
    parents = declared.enumerated().map { excluded.contains($0) ? nil : $1 }
  }

  /// The entity with a name.
  func entity(_ name: String) -> EntityDeclaration? {
    entities[name].map { model.entities[$0] }
  }

  /// The composite with a name.
  func composite(_ name: String) -> CompositeDeclaration? {
    composites[name].map { model.composites[$0] }
  }

  /// An entity's own property.
  func ownProperty(_ name: String, of entity: Int) -> Property? {
    properties[entity][name]
  }

  /// Whether two of an entity's own properties have the same name.
  func hasDuplicates(in entity: Int) -> Bool {
    properties[entity].count < model.entities[entity].propertyCount
  }

  /// Whether an entity itself has a property with a name.
  func hasOwnProperty(_ name: String, of entity: Int) -> Bool {
    properties[entity][name] != nil
  }

  /// An entity's own or inherited property.
  func property(_ name: String, of entity: Int) -> Property? {
    var next: Int? = entity
    while let current = next {
      if let property = ownProperty(name, of: current) { return property }
      next = parents[current]
    }
    return nil
  }

  /// An entity's own or inherited property at a key path, in which a key after a dot names an element of a composite.
  func property(atPath path: String, of entity: Int) -> Property? {
    if let property = property(path, of: entity) { return property }
    let keys = path.split(separator: ".", omittingEmptySubsequences: false)
    guard keys.count > 1 else { return nil }
    var found = property(String(keys[0]), of: entity)
    for key in keys.dropFirst() {
      guard case .attribute(let attribute) = found, attribute.type == .compositeAttributeType,
        let composite = attribute.composite.flatMap(composite)
      else { return nil }
      // A transient composite's elements aren't stored either.
      if attribute.isTransient { return found }
      found = composite.attributes.first { $0.name == key }.map { .attribute($0) }
    }
    return found
  }

  /// The names of all own and inherited properties of an entity.
  func propertyNames(of entity: Int) -> [String] {
    var names: [String] = []
    var next: Int? = entity
    while let current = next {
      names += properties[current].keys.sorted()
      next = parents[current]
    }
    return names
  }

  /// The number of an entity's ancestors.
  func depth(of entity: Int) -> Int {
    var depth = 0
    var next = parents[entity]
    while let current = next {
      depth += 1
      next = parents[current]
    }
    return depth
  }

  /// Whether `entity` is `ancestor`, or its descendant.
  func isEntity(_ entity: Int, kindOf ancestor: Int) -> Bool {
    var next: Int? = entity
    while let current = next {
      if current == ancestor { return true }
      next = parents[current]
    }
    return false
  }

  // MARK: Building the tables

  private static func index(_ names: [String]) -> [String: Int] {
    Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private static func table(_ entity: EntityDeclaration) -> [String: Property] {
    var table: [String: Property] = [:]
    table.reserveCapacity(entity.propertyCount)
    for fetched in entity.fetchedProperties { table[fetched.name] = .fetched(fetched) }
    for relationship in entity.relationships {
      table[relationship.name] = .relationship(relationship)
    }
    for attribute in entity.attributes { table[attribute.name] = .attribute(attribute) }
    return table
  }

  /// The entities whose chain of superentities is cyclic or too long.
  private static func misplaced(_ parents: [Int?]) -> Set<Int> {
    var depths: [Int?] = Array(repeating: nil, count: parents.count)
    var misplaced: Set<Int> = []
    for start in parents.indices where depths[start] == nil {
      var chain: [Int] = []
      var onChain: Set<Int> = []
      var next: Int? = start
      while let current = next, depths[current] == nil, onChain.insert(current).inserted {
        chain.append(current)
        next = parents[current]
      }
      if let next, onChain.contains(next), let first = chain.firstIndex(of: next) {
        misplaced.formUnion(chain[first...])
      }
      var depth = next.flatMap { depths[$0] } ?? 0
      for entity in chain.reversed() {
        depth = misplaced.contains(entity) ? 0 : depth + 1
        if depth > deepestHierarchy {
          misplaced.insert(entity)
          depth = 0
        }
        depths[entity] = depth
      }
    }
    return misplaced
  }
}
