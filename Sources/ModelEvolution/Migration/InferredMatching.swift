/// Matches the entities and properties of a new model with those of an old one as Core Data does when it infers a
/// mapping: the new renaming identifier is compared with the old renaming identifier, then with the old name.
///
/// Unlike ``ElementMatching``, it never matches by name against a renaming identifier, and it considers all properties
/// of an entity, own and inherited.
struct InferredMatching {
  typealias Visible = VisibleProperties.Property

  /// A pair of matched entities.
  struct EntityPair {
    let oldEntity: VisibleProperties.Entity
    let newEntity: VisibleProperties.Entity
    private let content: Content
    let added: [Visible]
    let removed: [Visible]

    var old: String { oldEntity.name }
    var new: String { newEntity.name }

    private enum Content {
      case shared
      case matched([(old: Visible, new: Visible)])
    }

    /// Creates a pair of entities whose properties are all unchanged, with the same paths.
    init(unchanged old: VisibleProperties.Entity, _ new: VisibleProperties.Entity) {
      (oldEntity, newEntity) = (old, new)
      content = .shared
      (added, removed) = ([], [])
    }

    /// Creates a pair of entities from their common properties and those that only one has.
    init(
      _ old: VisibleProperties.Entity, _ new: VisibleProperties.Entity,
      properties: [(old: Visible, new: Visible)], added: [Visible], removed: [Visible]
    ) {
      (oldEntity, newEntity) = (old, new)
      content = .matched(properties)
      (self.added, self.removed) = (added, removed)
    }

    /// The properties that both entities have.
    var properties: [(old: Visible, new: Visible)] {
      switch content {
      case .shared: newEntity.contents.properties.map { ($0, $0) }
      case .matched(let properties): properties
      }
    }

    /// Whether all properties are unchanged, with the same paths.
    var isSame: Bool {
      if case .shared = content { true } else { false }
    }

    /// Whether both models share the entity, so that it is the same with its ancestors and everything in them.
    var isShared: Bool { isSame && oldEntity === newEntity }
  }

  private let before: VisibleProperties
  private let after: VisibleProperties
  var old: ModelOutline { before.outline }
  var new: ModelOutline { after.outline }
  private(set) var pairs: [EntityPair] = []
  private(set) var addedEntities: [String] = []
  private(set) var removedEntities: [String] = []
  /// Elements that share a renaming identifier with another in the same scope.
  private(set) var ambiguous: [ModelPath] = []
  /// The new names of renamed entities.
  private(set) var newNames: [String: String] = [:]
  /// The old model's entities.
  var oldEntities: [VisibleProperties.Entity] { before.entities }
  /// Whether any entity was renamed.
  var hasRenamedEntities: Bool { !newNames.isEmpty }
  /// The properties of the added and removed entities, by name.
  private(set) var addedContents: [String: Set<String>] = [:]
  private(set) var removedContents: [String: Set<String>] = [:]

  init(from old: ModelOutline, to new: ModelOutline) {
    self.init(from: VisibleProperties(of: old), to: VisibleProperties(of: new))
  }

  init(from before: VisibleProperties, to after: VisibleProperties) {
    (self.before, self.after) = (before, after)
    let entities = matchedEntities()
    pairs.reserveCapacity(entities.count)
    for (old, new) in entities {
      if new.contents.areUnambiguous, old === new || Self.areSame(old.contents, new.contents) {
        pairs.append(EntityPair(unchanged: old, new))
      } else if old.contents.areByName, new.contents.areByName {
        pairs.append(Self.pairByName(old, new))
      } else {
        pairs.append(matched(old, new))
      }
    }
    for name in addedEntities {
      addedContents[name] = Set(after[name]?.contents.properties.map(\.name) ?? [])
    }
    for name in removedEntities {
      removedContents[name] = Set(before[name]?.contents.properties.map(\.name) ?? [])
    }
  }

  /// The old model's entity with a name.
  func oldEntity(_ name: String) -> VisibleProperties.Entity? { before[name] }

  /// The new model's entity with a name.
  func newEntity(_ name: String) -> VisibleProperties.Entity? { after[name] }

  /// Matches the entities, and finds those that only one model has.
  private mutating func matchedEntities() -> [(VisibleProperties.Entity, VisibleProperties.Entity)]
  {
    if before.areByName, after.areByName { return entitiesMatchedByName() }
    let entities = Self.match(before.entities.map(Named.init), after.entities.map(Named.init))
    ambiguous += entities.ambiguous.map { .entity($0) }
    let matchedNew = Set(entities.pairs.map(\.new.name))
    let matchedOld = Set(entities.pairs.map(\.old.name))
    addedEntities = after.entities.map(\.name).filter { !matchedNew.contains($0) }
    removedEntities = before.entities.map(\.name).filter { !matchedOld.contains($0) }
    for pair in entities.pairs where pair.old.name != pair.new.name {
      newNames[pair.old.name] = pair.new.name
    }
    return entities.pairs.compactMap { pair in
      guard let old = before[pair.old.name], let new = after[pair.new.name] else { return nil }
      return (old, new)
    }
  }

  /// Matches the entities of two models without renaming identifiers. This is the usual case, and most models have the
  /// same entities in the same places.
  private mutating func entitiesMatchedByName()
    -> [(VisibleProperties.Entity, VisibleProperties.Entity)]
  {
    var matched: [(VisibleProperties.Entity, VisibleProperties.Entity)] = []
    matched.reserveCapacity(after.entities.count)
    for (place, new) in after.entities.enumerated() {
      if let old = before.entity(new.name, probably: place) {
        matched.append((old, new))
      } else {
        addedEntities.append(new.name)
      }
    }
    if matched.count < before.entities.count {
      for (place, old) in before.entities.enumerated()
      where after.entity(old.name, probably: place) == nil {
        removedEntities.append(old.name)
      }
    }
    return matched
  }

  /// Matches the properties of two entities without renaming identifiers. This is the usual case, and needs only
  /// existing tables.
  private static func pairByName(
    _ old: VisibleProperties.Entity, _ new: VisibleProperties.Entity
  ) -> EntityPair {
    let (before, after) = (old.contents, new.contents)
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
      old, new, properties: matched, added: added,
      removed: matched.count == before.properties.count
        ? [] : zip(before.properties, isTaken).filter { !$1 }.map(\.0))
  }

  /// Matches the properties of two entities.
  private mutating func matched(
    _ oldEntity: VisibleProperties.Entity, _ newEntity: VisibleProperties.Entity
  ) -> EntityPair {
    let oldProperties = oldEntity.contents.properties
    let newProperties = newEntity.contents.properties
    let attributes = Self.match(
      oldProperties.filter { !$0.isRelationship }.map(Named.init),
      newProperties.filter { !$0.isRelationship }.map(Named.init))
    let relationships = Self.match(
      oldProperties.filter(\.isRelationship).map(Named.init),
      newProperties.filter(\.isRelationship).map(Named.init))
    ambiguous += (attributes.ambiguous + relationships.ambiguous).map {
      .property($0, of: newEntity.name)
    }
    let matched = attributes.pairs + relationships.pairs
    let takenOld = Set(matched.map(\.old.name))
    let takenNew = Set(matched.map(\.new.name))
    let oldByName = Dictionary(oldProperties.map { ($0.name, $0) }) { first, _ in first }
    let newByName = Dictionary(newProperties.map { ($0.name, $0) }) { first, _ in first }
    return EntityPair(
      oldEntity, newEntity,
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
  private static func areSame(
    _ old: VisibleProperties.Contents, _ new: VisibleProperties.Contents
  ) -> Bool {
    old.properties.count == new.properties.count
      && old.properties.indices.allSatisfy { old.properties[$0].isSame(as: new.properties[$0]) }
  }

  /// An element to match: its name, and the identifier that it is matched by.
  struct Named: Sendable {
    let name: String
    let identifier: String

    init(_ property: Visible) {
      name = property.name
      identifier = property.identifier
    }

    init(_ entity: VisibleProperties.Entity) {
      name = entity.name
      identifier = entity.identifier
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
