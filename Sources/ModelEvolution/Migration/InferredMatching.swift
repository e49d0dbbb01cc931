/// Matches the entities and properties of a new model with those of an old one as Core Data does when it infers a
/// mapping: the new renaming identifier is compared with the old renaming identifier, then with the old name.
///
/// Unlike ``ElementMatching``, it never matches by name against a renaming identifier, and it considers all properties
/// of an entity, own and inherited.
struct InferredMatching {
  /// A property visible in an entity.
  struct Visible: Sendable {
    /// The path of its declaration.
    let path: ModelPath
    let element: ModelElement
    let identifier: String
    var name: String { path.name }
    /// Attributes of any kind match attributes, and relationships match relationships.
    var isRelationship: Bool { element.kind == .relationship }

    init(path: ModelPath, element: ModelElement) {
      self.path = path
      self.element = element
      identifier = element.renamingIdentifier(at: path)
    }
  }

  /// A pair of matched entities.
  struct EntityPair {
    let old: String
    let new: String
    private let content: Content
    let added: [Visible]
    let removed: [Visible]

    private enum Content {
      case shared([Visible])
      case matched([(old: Visible, new: Visible)])
    }

    /// Creates a pair of entities whose properties are all unchanged, with the same paths.
    init(old: String, new: String, sharing properties: [Visible]) {
      (self.old, self.new) = (old, new)
      content = .shared(properties)
      (added, removed) = ([], [])
    }

    /// Creates a pair of entities from their common properties and those that only one has.
    init(
      old: String, new: String, properties: [(old: Visible, new: Visible)], added: [Visible],
      removed: [Visible]
    ) {
      (self.old, self.new) = (old, new)
      content = .matched(properties)
      (self.added, self.removed) = (added, removed)
    }

    /// The properties that both entities have.
    var properties: [(old: Visible, new: Visible)] {
      switch content {
      case .shared(let properties): properties.map { ($0, $0) }
      case .matched(let properties): properties
      }
    }

    /// Whether all properties are unchanged, with the same paths.
    var isSame: Bool {
      if case .shared = content { true } else { false }
    }
  }

  let old: ModelOutline
  let new: ModelOutline
  /// The root entity of each entity, by name.
  let oldRoots: [String: String]
  let newRoots: [String: String]
  private(set) var pairs: [EntityPair] = []
  private(set) var addedEntities: [String] = []
  private(set) var removedEntities: [String] = []
  /// Elements that share a renaming identifier with another in the same scope.
  private(set) var ambiguous: [ModelPath] = []
  private(set) var newNames: [String: String] = [:]
  /// Whether any entity was renamed.
  private(set) var hasRenamedEntities = false
  /// The properties of the added and removed entities, by name.
  private(set) var addedContents: [String: Set<String>] = [:]
  private(set) var removedContents: [String: Set<String>] = [:]

  init(from old: ModelOutline, to new: ModelOutline) {
    self.init(from: VisibleProperties(of: old), to: VisibleProperties(of: new))
  }

  init(from before: VisibleProperties, to after: VisibleProperties) {
    old = before.outline
    new = after.outline
    (oldRoots, newRoots) = (before.roots, after.roots)
    let oldEntities = before.entities
    let newEntities = after.entities
    let entities = Self.match(oldEntities, newEntities)
    ambiguous += entities.ambiguous.map { .entity($0) }
    let matchedNew = Set(entities.pairs.map(\.new.name))
    let matchedOld = Set(entities.pairs.map(\.old.name))
    addedEntities = newEntities.map(\.name).filter { !matchedNew.contains($0) }
    removedEntities = oldEntities.map(\.name).filter { !matchedOld.contains($0) }
    for pair in entities.pairs { newNames[pair.old.name] = pair.new.name }
    hasRenamedEntities = newNames.contains { $0 != $1 }
    for name in addedEntities {
      addedContents[name] = Set(after[name].properties.map(\.name))
    }
    for name in removedEntities {
      removedContents[name] = Set(before[name].properties.map(\.name))
    }
    pairs.reserveCapacity(entities.pairs.count)
    for pair in entities.pairs {
      let (oldContents, newContents) = (before[pair.old.name], after[pair.new.name])
      let (old, new) = (pair.old.name, pair.new.name)
      if newContents.areUnambiguous,
        Self.areSame(oldContents.properties, newContents.properties)
      {
        pairs.append(EntityPair(old: old, new: new, sharing: newContents.properties))
      } else if oldContents.areByName, newContents.areByName {
        pairs.append(Self.pairByName(old, oldContents, new, newContents))
      } else {
        pairs.append(
          matched(old, oldContents.properties, new, newContents.properties))
      }
    }
  }

  /// Matches the properties of two entities without renaming identifiers. This is the usual case, and needs only
  /// existing tables.
  private static func pairByName(
    _ old: String, _ before: VisibleProperties.Contents, _ new: String,
    _ after: VisibleProperties.Contents
  ) -> EntityPair {
    var matched: [(old: Visible, new: Visible)] = []
    var isTaken = [Bool](repeating: false, count: before.properties.count)
    var added: [Visible] = []
    // Attributes first, as they are matched first.
    for isRelationship in [false, true] {
      for property in after.properties where property.isRelationship == isRelationship {
        if let place = before.places[property.name],
          before.properties[place].isRelationship == isRelationship
        {
          isTaken[place] = true
          matched.append((before.properties[place], property))
        }
      }
    }
    if matched.count < after.properties.count {
      added = after.properties.filter { property in
        guard let place = before.places[property.name] else { return true }
        return before.properties[place].isRelationship != property.isRelationship
      }
    }
    return EntityPair(
      old: old, new: new, properties: matched, added: added,
      removed: matched.count == before.properties.count
        ? [] : zip(before.properties, isTaken).filter { !$1 }.map(\.0))
  }

  /// Matches the properties of two entities.
  private mutating func matched(
    _ old: String, _ oldProperties: [Visible], _ new: String, _ newProperties: [Visible]
  ) -> EntityPair {
    let attributes = Self.match(
      oldProperties.filter { !$0.isRelationship }.map(Named.init),
      newProperties.filter { !$0.isRelationship }.map(Named.init))
    let relationships = Self.match(
      oldProperties.filter(\.isRelationship).map(Named.init),
      newProperties.filter(\.isRelationship).map(Named.init))
    ambiguous += (attributes.ambiguous + relationships.ambiguous).map {
      .property($0, of: new)
    }
    let matched = attributes.pairs + relationships.pairs
    let takenOld = Set(matched.map(\.old.name))
    let takenNew = Set(matched.map(\.new.name))
    let oldByName = Dictionary(oldProperties.map { ($0.name, $0) }) { first, _ in first }
    let newByName = Dictionary(newProperties.map { ($0.name, $0) }) { first, _ in first }
    return EntityPair(
      old: old, new: new,
      properties: matched.compactMap { match in
        guard let old = oldByName[match.old.name], let new = newByName[match.new.name] else {
          return nil
        }
        return (old, new)
      },
      added: newProperties.filter { !takenNew.contains($0.name) },
      removed: oldProperties.filter { !takenOld.contains($0.name) })
  }

  /// Whether nothing changed. This is the usual case, and needs no tables.
  private static func areSame(_ old: [Visible], _ new: [Visible]) -> Bool {
    guard old.count == new.count else { return false }
    // Consecutive versions share unchanged properties.
    let start = old.withUnsafeBufferPointer(\.baseAddress)
    return start == new.withUnsafeBufferPointer(\.baseAddress)
      || old.indices.allSatisfy {
        old[$0].path == new[$0].path && old[$0].element == new[$0].element
      }
  }

  /// An element to match: its name, and the identifier that it is matched by.
  struct Named: Sendable {
    let name: String
    let identifier: String

    init(_ property: Visible) {
      name = property.name
      identifier = property.identifier
    }

    init(name: String, identifier: String) {
      self.name = name
      self.identifier = identifier
    }
  }

  /// Matches new names to old ones. An identifier shared by two new names is ambiguous.
  private static func match(
    _ old: [Named], _ new: [Named]
  ) -> (pairs: [(old: Named, new: Named)], ambiguous: [String]) {
    let byIdentifier = Dictionary(old.map { ($0.identifier, $0) }) { first, _ in first }
    let byName = Dictionary(old.map { ($0.name, $0) }) { first, _ in first }
    var pairs: [(old: Named, new: Named)] = []
    var holders: [String: String] = [:]
    var takenOld = Set<String>()
    var ambiguous: [String] = []
    // An unchanged name takes precedence over one that claims the old name.
    let ordered =
      new.filter { $0.identifier == $0.name } + new.filter { $0.identifier != $0.name }
    for item in ordered {
      if holders.updateValue(item.name, forKey: item.identifier) != nil {
        ambiguous.append(item.name)
        continue
      }
      guard let match = byIdentifier[item.identifier] ?? byName[item.identifier],
        takenOld.insert(match.name).inserted
      else { continue }
      pairs.append((match, item))
    }
    return (pairs, ambiguous)
  }
}

/// The persistent properties of each entity of a model, own and inherited. Determined once, and reused for all models
/// that it is matched with.
struct VisibleProperties: Sendable {
  /// The properties of an entity. If a name is declared repeatedly, the nearest declaration counts.
  struct Contents: Sendable {
    var properties: [InferredMatching.Visible] = []
    /// Whether all renaming identifiers are distinct.
    var areUnambiguous = true
    /// Whether each property's name equals the identifier that it is matched by.
    var areByName = true
    /// The indexes of the properties, by name.
    var places: [String: Int] = [:]

    init() {}

    init(_ properties: [InferredMatching.Visible]) {
      self.properties = properties
      places.reserveCapacity(properties.count)
      for (place, property) in properties.enumerated() {
        if places.updateValue(place, forKey: property.name) != nil { areByName = false }
        if property.identifier != property.name { areByName = false }
      }
      areUnambiguous = areByName || Set(properties.map(\.identifier)).count == properties.count
    }
  }

  let outline: ModelOutline
  /// The entities, in the model's order.
  private(set) var entities: [InferredMatching.Named] = []
  /// The root entity of each entity, by name.
  private(set) var roots: [String: String] = [:]
  private var contents: [String: Contents] = [:]

  init(of outline: ModelOutline) {
    self.init(of: outline, like: nil, unchanged: [])
  }

  /// Determines the properties of a model's entities, reusing those of another model.
  ///
  /// - Parameters:
  ///   - last: the properties of the other model, if any.
  ///   - unchanged: the entities that are the same in both models.
  init(of outline: ModelOutline, like last: VisibleProperties?, unchanged: Set<String>) {
    self.outline = outline
    for (path, element) in outline.elements {
      guard case .entity(let name) = path else { continue }
      entities.append(.init(name: name, identifier: element.renamingIdentifier(at: path)))
    }
    contents.reserveCapacity(entities.count)
    roots.reserveCapacity(entities.count)
    var pending: [[String]] = []
    var wanted: Set<String> = []
    for entity in entities {
      let lineage = outline.lineage(of: entity.name)
      if let last, lineage.allSatisfy(unchanged.contains) {
        contents[entity.name] = last.contents[entity.name]
        roots[entity.name] = last.roots[entity.name]
      } else {
        roots[entity.name] = lineage.last
        pending.append(lineage)
        wanted.formUnion(lineage)
      }
    }
    guard !pending.isEmpty else { return }
    var own: [String: [InferredMatching.Visible]] = [:]
    for (path, element) in outline.elements
    where element.kind.isAttribute || element.kind == .relationship {
      guard let name = path.entityName, wanted.contains(name) else { continue }
      own[name, default: []].append(.init(path: path, element: element))
    }
    for lineage in pending {
      guard let name = lineage.first else { continue }
      var properties = own[name] ?? []
      if lineage.count > 1 {
        var names = Set(properties.map(\.name))
        properties += lineage.dropFirst().flatMap { own[$0] ?? [] }
          .filter { names.insert($0.name).inserted }
      }
      contents[name] = Contents(properties)
    }
  }

  subscript(entity: String) -> Contents { contents[entity] ?? Contents() }
}
