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
    let properties: [(old: Visible, new: Visible)]
    let added: [Visible]
    let removed: [Visible]
    /// Whether all properties are equal under equal paths.
    var isSame = false
  }

  let old: ModelOutline
  let new: ModelOutline
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
    let oldEntities = Self.entities(of: old)
    let newEntities = Self.entities(of: new)
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
      let oldProperties = before[pair.old.name].properties
      let newProperties = after[pair.new.name].properties
      if after[pair.new.name].areUnambiguous, Self.areSame(oldProperties, newProperties) {
        pairs.append(
          EntityPair(
            old: pair.old.name, new: pair.new.name,
            properties: zip(oldProperties, newProperties).map { ($0, $1) }, added: [],
            removed: [], isSame: true))
        continue
      }
      let attributes = Self.match(
        oldProperties.filter { !$0.isRelationship }.map(Named.init),
        newProperties.filter { !$0.isRelationship }.map(Named.init))
      let relationships = Self.match(
        oldProperties.filter(\.isRelationship).map(Named.init),
        newProperties.filter(\.isRelationship).map(Named.init))
      ambiguous += (attributes.ambiguous + relationships.ambiguous).map {
        .property($0, of: pair.new.name)
      }
      let matched = attributes.pairs + relationships.pairs
      let takenOld = Set(matched.map(\.old.name))
      let takenNew = Set(matched.map(\.new.name))
      let oldByName = Dictionary(oldProperties.map { ($0.name, $0) }) { first, _ in first }
      let newByName = Dictionary(newProperties.map { ($0.name, $0) }) { first, _ in first }
      pairs.append(
        EntityPair(
          old: pair.old.name, new: pair.new.name,
          properties: matched.compactMap { match in
            guard let old = oldByName[match.old.name], let new = newByName[match.new.name] else {
              return nil
            }
            return (old, new)
          },
          added: newProperties.filter { !takenNew.contains($0.name) },
          removed: oldProperties.filter { !takenOld.contains($0.name) }))
    }
  }

  /// Whether nothing has changed: the usual case, detected without tables.
  private static func areSame(_ old: [Visible], _ new: [Visible]) -> Bool {
    old.count == new.count
      && old.indices.allSatisfy {
        old[$0].path == new[$0].path && old[$0].element == new[$0].element
      }
  }

  private struct Named {
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

  private static func entities(of outline: ModelOutline) -> [Named] {
    outline.elements.compactMap { path, element in
      guard case .entity(let name) = path else { return nil }
      return Named(name: name, identifier: element.renamingIdentifier(at: path))
    }
  }

  /// Matches new names with old ones; an identifier shared by two new names is ambiguous.
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
  /// The properties of an entity; for each name, the nearest.
  struct Contents: Sendable {
    var properties: [InferredMatching.Visible] = []
    /// Whether all renaming identifiers are distinct.
    var areUnambiguous = true
  }

  let outline: ModelOutline
  private var contents: [String: Contents] = [:]

  init(of outline: ModelOutline) {
    self.outline = outline
    var own: [String: [InferredMatching.Visible]] = [:]
    var entities: [String] = []
    for (path, element) in outline.elements {
      if element.kind.isAttribute || element.kind == .relationship {
        own[path.entityName ?? "", default: []].append(.init(path: path, element: element))
      } else if case .entity(let name) = path {
        entities.append(name)
      }
    }
    contents.reserveCapacity(entities.count)
    for name in entities {
      var properties = own[name] ?? []
      let ancestors = outline.lineage(of: name).dropFirst()
      if !ancestors.isEmpty {
        var names = Set(properties.map(\.name))
        properties += ancestors.flatMap { own[$0] ?? [] }.filter { names.insert($0.name).inserted }
      }
      contents[name] = Contents(
        properties: properties,
        areUnambiguous: Set(properties.map(\.identifier)).count == properties.count)
    }
  }

  subscript(entity: String) -> Contents { contents[entity] ?? Contents() }
}
