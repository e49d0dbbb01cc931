import DataModels
import OrderedCollections

/// Modifies a model element by element, to apply differences and merges.
///
/// Structure is edited first (which elements exist, and under which names), then facts, so that every reference in a
/// fact finds its target. Hierarchy and inverses are collected and set at the end.
final class ModelEditor {
  private let model: NSManagedObjectModel
  private var entities: [String: NSEntityDescription] = [:]
  private var properties: [ModelPath: NSPropertyDescription] = [:]
  private var indexes: [ModelPath: NSFetchIndexDescription] = [:]
  private var compounds: [ObjectIdentifier: Set<[String]>] = [:]
  private var marked = Set<ObjectIdentifier>()
  private var newEntities: [NSEntityDescription] = []
  private var parents: [(child: NSEntityDescription, parent: NSEntityDescription?)] = []
  private var inverses:
    OrderedDictionary<ObjectIdentifier, (relationship: NSRelationshipDescription, name: String?)> =
      [:]
  /// The initial name of each relationship's inverse.
  private var inverseNames: [ObjectIdentifier: String] = [:]
  /// The initial traces of each entity's indexes in the older representations.
  private var traces: [(entity: NSEntityDescription, traces: IndexTraces)] = []

  /// Starts editing a model, which must be editable.
  init(_ model: NSManagedObjectModel) {
    self.model = model
    for entity in model.entities {
      let name = entity.name ?? ""
      guard entities[name] == nil else { continue }
      entities[name] = entity
      for property in entity.ownProperties {
        properties[.property(property.name, of: name)] = property
        if let relationship = property as? NSRelationshipDescription {
          inverseNames[ObjectIdentifier(relationship)] = relationship.inverseRelationshipName
        }
      }
      for index in entity.indexes { indexes[.index(index.name, of: name)] = index }
      traces.append((entity, IndexTraces(of: entity)))
    }
  }

  /// Returns the entity with a name.
  ///
  /// - Throws: `EvolutionError` with code `.danglingReference`.
  func entity(named name: String) throws -> NSEntityDescription {
    guard let entity = entities[name] else {
      throw EvolutionError(.danglingReference, "there is no entity '\(name)'")
    }
    return entity
  }

  /// Returns the entity with a name; nil when there is none.
  func knownEntity(named name: String) -> NSEntityDescription? { entities[name] }

  /// Records an entity's parent, to be set at the end.
  func setParent(of entity: NSEntityDescription, to parent: NSEntityDescription?) throws {
    parents.append((entity, parent))
  }

  /// Records a relationship's inverse, to be set at the end.
  func setInverse(of relationship: NSRelationshipDescription, to name: String?) throws {
    inverses[ObjectIdentifier(relationship)] = (relationship, name)
  }

  /// Records that a relationship with a new destination has an inverse of the same name there, unless another inverse
  /// is recorded later. The inverse is now another property, which no fact expresses.
  func keepInverse(of relationship: NSRelationshipDescription) {
    let identifier = ObjectIdentifier(relationship)
    guard let name = inverseNames[identifier], inverses[identifier] == nil else { return }
    inverses[identifier] = (relationship, name)
  }

  /// Records the compound indexes that an entity has in addition to its fetch indexes.
  func keepCompoundIndexes(_ indexes: Set<[String]>, of entity: NSEntityDescription) {
    compounds[ObjectIdentifier(entity)] = indexes
  }

  /// Records that a property is marked as indexed, regardless of its indexes.
  func keepMark(of property: NSPropertyDescription) { marked.insert(ObjectIdentifier(property)) }

  /// Makes the structural changes of a difference.
  func restructure(by difference: ModelDifference) throws {
    var touched = Set<String>()
    try rename(by: difference, touched: &touched)
    try remove(by: difference)
    try add(by: difference, touched: &touched)
    commit(touched: touched)
  }

  /// Sets one fact of an element.
  func write(_ value: ModelValue, to fact: Fact, at path: ModelPath) throws {
    do {
      try fact.write(try subject(at: path), value, self)
    } catch let error as EvolutionError where error.path == .model {
      throw EvolutionError(error.code, at: path, error.message)
    }
  }

  /// Sets the recorded hierarchy and inverses.
  func finish() throws {
    try setHierarchy()
    for (relationship, name) in inverses.values {
      guard let name else {
        relationship.inverseRelationship = nil
        continue
      }
      let inverse = relationship.destinationEntity?.propertiesByName[name]
      if let inverse = inverse as? NSRelationshipDescription {
        relationship.inverseRelationship = inverse
      } else {
        relationship.inverseRelationship = nil
        relationship.inverseRelationshipName = name
      }
    }
    for entity in newEntities { traces.append((entity, IndexTraces())) }
    for (entity, before) in traces {
      before.performRefresh(entity, keeping: compounds[ObjectIdentifier(entity)] ?? []) {
        marked.contains(ObjectIdentifier($0))
      }
    }
  }

  /// The object that has the facts of a path.
  private func subject(at path: ModelPath) throws -> AnyObject {
    let found: AnyObject? =
      switch path {
      case .model: model
      case .entity(let name): entities[name]
      case .property: properties[path]
      case .index: indexes[path]
      case .fetchRequest(let name): model.storedTemplates[name]
      case .configuration(let name):
        model.storedConfigurations[name].map { _ in ConfigurationSubject(name, of: model) }
      }
    guard let found else {
      throw EvolutionError(.notApplicable, at: path, "the model has nothing with this name")
    }
    return found
  }
}

extension ModelEditor {
  /// Removes, renames and moves elements. What loses its name does so before anything takes one: a name may become
  /// that of another element.
  private func rename(by difference: ModelDifference, touched: inout Set<String>) throws {
    let moving = try takeAway(by: difference, touched: &touched)
    let renamed = try takeAwayEntities(by: difference)
    for (entity, name) in renamed {
      guard entities.updateValue(entity, forKey: name) == nil else {
        throw EvolutionError(.notApplicable, at: .entity(name), "the name is taken")
      }
      entity.name = name
    }
    if !renamed.isEmpty { rekey(by: difference) }
    for (property, path) in moving {
      guard properties.updateValue(property, forKey: path) == nil else {
        throw EvolutionError(.notApplicable, at: path, "the name is taken")
      }
      property.name = path.name
      touched.insert(path.entityName ?? "")
    }
  }

  /// Takes properties and indexes out of their places, and returns those properties that get new ones.
  private func takeAway(
    by difference: ModelDifference, touched: inout Set<String>
  ) throws -> [(NSPropertyDescription, ModelPath)] {
    let tracesByEntity = Dictionary(
      traces.map { (ObjectIdentifier($0.entity), $0.traces) },
      uniquingKeysWith: { first, _ in first })
    var moving: [(NSPropertyDescription, ModelPath)] = []
    var (done, homes) = (Set<ModelPath>(), Set<ModelPath>())
    for change in difference.changes where change.elementKind.isProperty && change.fact == nil {
      guard change.kind == .renamed || change.kind == .moved, let old = change.oldPath,
        done.insert(change.path).inserted
      else { continue }
      guard let property = properties.removeValue(forKey: old) else {
        throw EvolutionError(.notApplicable, at: old, "there is no property to rename or move")
      }
      // The trace of an index stays behind with the index.
      let before = property.owningEntity.flatMap { tracesByEntity[ObjectIdentifier($0)] }
      if before?.hasIndexAlone(property.name) == true { property.isIndexed = false }
      moving.append((property, change.path))
      homes.insert(.entity(old.entityName ?? ""))
    }
    for change in difference.changes where change.kind == .removed {
      guard let path = change.oldPath, path.isInsideEntity else { continue }
      let found =
        change.elementKind == .index
        ? indexes.removeValue(forKey: path) != nil : properties.removeValue(forKey: path) != nil
      guard found else {
        throw EvolutionError(.notApplicable, at: path, "there is nothing to remove")
      }
      homes.insert(.entity(path.entityName ?? ""))
    }
    // An entity that is removed is of no interest, but its name may become that of another.
    touched.formUnion(homes.compactMap { difference.matching.newPath(of: $0)?.name })
    return moving
  }

  /// Removes entities, and returns those that get new names.
  private func takeAwayEntities(
    by difference: ModelDifference
  ) throws -> [(NSEntityDescription, name: String)] {
    var renamed: [(NSEntityDescription, name: String)] = []
    var removed = Set<String>()
    for change in difference.changes where change.elementKind == .entity {
      let name = change.oldPath?.name ?? change.path.name
      switch change.kind {
      case .renamed:
        guard let entity = entities.removeValue(forKey: name) else {
          throw EvolutionError(.notApplicable, at: change.path, "there is no entity to rename")
        }
        renamed.append((entity, change.path.name))
      case .removed:
        guard let entity = entities.removeValue(forKey: name) else {
          throw EvolutionError(.notApplicable, at: change.path, "there is nothing to remove")
        }
        // Properties that move out of it have no owner until they are added elsewhere.
        entity.properties = []
        removed.insert(name)
      default: continue
      }
    }
    if !removed.isEmpty {
      properties = properties.filter { !removed.contains($0.key.entityName ?? "") }
      indexes = indexes.filter { !removed.contains($0.key.entityName ?? "") }
    }
    return renamed
  }

  /// Updates the paths of properties and indexes to the new names of their entities.
  private func rekey(by difference: ModelDifference) {
    func now(_ path: ModelPath) -> ModelPath {
      path.inside(difference.matching.newEntityName(path.entityName ?? ""))
    }
    properties = Dictionary(properties.map { (now($0), $1) }) { first, _ in first }
    indexes = Dictionary(indexes.map { (now($0), $1) }) { first, _ in first }
  }

  /// Removes templates and configurations.
  private func remove(by difference: ModelDifference) throws {
    for change in difference.changes where change.kind == .removed {
      let found: Bool
      switch change.path {
      case .fetchRequest(let name): found = model.storedTemplates.removeValue(forKey: name) != nil
      case .configuration(let name):
        found = model.storedConfigurations.removeValue(forKey: name) != nil
      case .model, .entity, .property, .index: continue
      }
      guard found else {
        throw EvolutionError(.notApplicable, at: change.path, "there is nothing to remove")
      }
    }
  }

  /// Creates new elements, without facts.
  private func add(by difference: ModelDifference, touched: inout Set<String>) throws {
    for change in difference.changes where change.kind == .added {
      let isNew: Bool
      switch change.path {
      case .model: isNew = false
      case .entity(let name):
        let entity = NSEntityDescription()
        entity.name = name
        newEntities.append(entity)
        isNew = entities.updateValue(entity, forKey: name) == nil
      case .property(let name, let entity):
        guard let property = change.elementKind.makeProperty() else {
          throw EvolutionError(.notApplicable, at: change.path, "it isn't a property")
        }
        property.name = name
        isNew = properties.updateValue(property, forKey: change.path) == nil
        touched.insert(entity)
      case .index(let name, let entity):
        let index = NSFetchIndexDescription(name: name, elements: [])
        isNew = indexes.updateValue(index, forKey: change.path) == nil
        touched.insert(entity)
      case .fetchRequest(let name):
        isNew = model.storedTemplates[name] == nil
        model.setFetchRequestTemplate(NSFetchRequest<NSFetchRequestResult>(), forName: name)
      case .configuration(let name):
        isNew = model.storedConfigurations[name] == nil
        model.setEntities([], forConfigurationName: name)
      }
      guard isNew else {
        throw EvolutionError(.notApplicable, at: change.path, "it already exists")
      }
    }
  }

  /// Updates the model's entities and the properties and indexes of the affected entities: existing ones in their
  /// order, followed by new ones sorted by name.
  private func commit(touched: Set<String>) {
    let known = Set(model.entities.map(ObjectIdentifier.init))
    let staying = Set(entities.values.map(ObjectIdentifier.init))
    let arrivals = entities.filter { !known.contains(ObjectIdentifier($0.value)) }
      .sorted { $0.key < $1.key }.map(\.value)
    for entity in model.entities where !staying.contains(ObjectIdentifier(entity)) {
      // Its subentities become root entities until their own facts are set.
      entity.subentities = []
      parents.append((entity, nil))
    }
    if !arrivals.isEmpty || known.count != staying.count {
      model.entities =
        model.entities.filter { staying.contains(ObjectIdentifier($0)) } + arrivals
    }

    var propertiesByEntity: [String: [ModelPath]] = [:]
    for path in properties.keys where touched.contains(path.entityName ?? "") {
      propertiesByEntity[path.entityName ?? "", default: []].append(path)
    }
    var indexesByEntity: [String: [ModelPath]] = [:]
    for path in indexes.keys where touched.contains(path.entityName ?? "") {
      indexesByEntity[path.entityName ?? "", default: []].append(path)
    }
    let names = touched.sorted()
    // Remove all properties before adding any, so that a property that moves has no owner in between.
    let before = names.map { entities[$0]?.ownProperties ?? [] }
    for name in names { entities[name]?.properties = [] }
    for (name, old) in zip(names, before) {
      guard let entity = entities[name] else { continue }
      let now = (propertiesByEntity[name] ?? []).sorted().compactMap { properties[$0] }
      entity.properties = arrange(now, like: old)
      let kept = (indexesByEntity[name] ?? []).sorted().compactMap { indexes[$0] }
      entity.indexes = arrange(kept, like: entity.indexes)
    }
  }

  /// Arranges existing items in their old order, followed by the others.
  private func arrange<Item: AnyObject>(_ items: [Item], like old: [Item]) -> [Item] {
    let staying = Set(items.map(ObjectIdentifier.init))
    let known = Set(old.map(ObjectIdentifier.init))
    return old.filter { staying.contains(ObjectIdentifier($0)) }
      + items.filter { !known.contains(ObjectIdentifier($0)) }
  }

  /// Sets the lists of subentities according to the recorded parents.
  private func setHierarchy() throws {
    guard !parents.isEmpty else { return }
    var parent: [ObjectIdentifier: NSEntityDescription] = [:]
    for entity in model.entities {
      if let superentity = entity.superentity { parent[ObjectIdentifier(entity)] = superentity }
    }
    for (child, above) in parents { parent[ObjectIdentifier(child)] = above }
    try refuseCycles(parent)
    var children: [ObjectIdentifier: [NSEntityDescription]] = [:]
    for entity in model.entities {
      if let above = parent[ObjectIdentifier(entity)] {
        children[ObjectIdentifier(above), default: []].append(entity)
      }
    }
    let changed = model.entities.filter { entity in
      let now = children[ObjectIdentifier(entity)] ?? []
      return now.map(ObjectIdentifier.init) != entity.subentities.map(ObjectIdentifier.init)
    }
    for entity in changed { entity.subentities = [] }
    for entity in changed {
      entity.setSubentitiesUnchecked(children[ObjectIdentifier(entity)] ?? [])
    }
  }

  /// Throws when an entity would be its own ancestor.
  private func refuseCycles(_ parent: [ObjectIdentifier: NSEntityDescription]) throws {
    var safe = Set<ObjectIdentifier>()
    for entity in model.entities {
      var trail = Set<ObjectIdentifier>()
      var next: NSEntityDescription? = entity
      while let current = next, !safe.contains(ObjectIdentifier(current)) {
        guard trail.insert(ObjectIdentifier(current)).inserted else {
          throw EvolutionError(
            .notApplicable, at: .entity(current.name ?? ""), "it would be its own ancestor")
        }
        next = parent[ObjectIdentifier(current)]
      }
      safe.formUnion(trail)
    }
  }
}
