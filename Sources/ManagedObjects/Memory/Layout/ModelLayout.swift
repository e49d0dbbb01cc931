import DataModels
import Synchronization

/// The layouts of all entities of a model in use.
@_spi(Engines) public final class ModelLayout: @unchecked Sendable {
  // Sendable: immutable, except for lookups by class, which are guarded by a mutex.

  /// The layouts in the order of the model's entities.
  public let entities: [EntityLayout]
  private let byName: [String: EntityLayout]
  private let names: NameTable<EntityLayout>
  private let byEntity: [ObjectIdentifier: EntityLayout]
  /// Whether a relationship's inverse may lead to objects of another entity than its destination.
  private(set) var admitsStrangers = false
  private let byClass = Mutex<[ObjectIdentifier: EntityLayout]>([:])

  /// The layouts of `model`, created on first use; the model can't be changed from then on.
  public static func of(_ model: NSManagedObjectModel) -> ModelLayout {
    model.attachment.withLock { attachment in
      if let layout = attachment as? ModelLayout { return layout }
      model.freeze()
      let layout = ModelLayout(model)
      attachment = layout
      ModelsInUse.shared.add(layout)
      return layout
    }
  }

  /// Separate layouts of `model`, whose objects are plain `NSManagedObject` instances.
  static func ofPlainObjects(_ model: NSManagedObjectModel) -> ModelLayout {
    let inUse = of(model)
    let layout = ModelLayout(model)
    for entity in layout.byEntity.values { entity.makePlainObjects() }
    return withExtendedLifetime(inUse) { layout }
  }

  private init(_ model: NSManagedObjectModel) {
    var made: [ObjectIdentifier: EntityLayout] = [:]
    for entity in model.entities {
      // From the root down, so that a parent exists before its subentities.
      for ancestor in entity.ancestry.reversed() where made[ObjectIdentifier(ancestor)] == nil {
        let parent = ancestor.superentity.flatMap { made[ObjectIdentifier($0)] }
        made[ObjectIdentifier(ancestor)] = EntityLayout(entity: ancestor, parent: parent)
      }
    }
    entities = model.entities.compactMap { made[ObjectIdentifier($0)] }
    byEntity = made
    byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    names = NameTable(byName)
    for layout in entities {
      layout.model = self
      link(layout)
      guard !layout.toManys.isEmpty else { continue }
      for ancestor in sequence(first: layout, next: \.parent) { ancestor.leadsToMany = true }
    }
    for layout in entities { compareInverses(layout) }
  }

  /// Finds inverses that don't match: a model made by a program may have any.
  private func compareInverses(_ layout: EntityLayout) {
    for property in layout.values + layout.toManys where property.isRelationship {
      property.meetInverse()
      guard let inverse = property.inverse, let other = inverse.destination,
        !layout.isKind(of: other)
      else { continue }
      inverse.admitsStrangers = true
      admitsStrangers = true
    }
  }

  private func link(_ layout: EntityLayout) {
    for property in layout.values + layout.toManys where property.isRelationship {
      guard property.destination == nil,
        let relationship = property.description as? NSRelationshipDescription,
        let destination = relationship.destinationEntity.flatMap({ self[$0] })
      else { continue }
      property.destination = destination
      if let inverse = relationship.inverseRelationship {
        property.inverse = destination.propertiesByName[inverse.name]
      }
    }
  }

  /// The layout of an entity of the model.
  public subscript(entity: NSEntityDescription) -> EntityLayout? {
    byEntity[ObjectIdentifier(entity)]
  }

  /// The layout of the entity with a name.
  public subscript(name: String) -> EntityLayout? { names[name] ?? byName[name] }

  /// The entity that a class represents, if there is exactly one in the model.
  func entity(of type: NSManagedObject.Type) -> EntityLayout? {
    byClass.withLock { known in
      if let layout = known[ObjectIdentifier(type)] { return layout }
      let found = findEntity(of: type)
      known[ObjectIdentifier(type)] = found
      return found
    }
  }

  private func findEntity(of type: NSManagedObject.Type) -> EntityLayout? {
    let (full, short) = ObjectClassRegistry.names(of: type)
    var found = entities(ofClassNamed: [full, short, "." + short])
    #if !canImport(ObjectiveC)
      if found.isEmpty {
        let given = RuntimeClasses.givenNames(of: type)
        found = entities(ofClassNamed: given + given.map { "." + $0 })
      }
    #endif
    guard found.count == 1 else { return nil }
    found[0].meet(type)
    return found[0]
  }

  private func entities(ofClassNamed names: [String]) -> [EntityLayout] {
    entities.filter { names.contains($0.entity.managedObjectClassName ?? "") }
  }
}

extension ModelLayout {
  /// Throws if a composite can't be stored, because its elements have no end or nest too deep.
  func requireListableComposites() throws {
    for entity in entities {
      for property in entity.values where property.attributeType == .compositeAttributeType {
        guard let composite = property.description as? NSCompositeAttributeDescription,
          !composite.hasListableElements
        else { continue }
        throw CoreDataError.make(
          NSPersistentStoreIncompatibleSchemaError,
          "\(entity.name).\(property.name): the composite contains itself, is nested too deep, or has too many "
            + "elements.")
      }
    }
  }
}
