import DataModels

extension ModelOutline {
  /// Creates the outline of a model.
  ///
  /// If two entities, or two properties of an entity, have the same name, the first is used.
  public init(of model: NSManagedObjectModel) {
    self = Self.sharing(model, with: ModelOutline(), entities: [:]).outline
  }

  /// The entities that a model has in common with another.
  struct Likeness: Sendable {
    /// The entities that are unchanged, with everything in them.
    var same: Set<String> = []
    /// Those of them that are identical byte for byte, and so contribute the same to version hashes.
    var plain: Set<String> = []
  }

  /// Creates a model's outline, given another's. Elements found to be the same are shared rather than read again.
  ///
  /// - Parameters:
  ///   - known: the other model's outline.
  ///   - entities: the other model's entities, by name.
  static func sharing(
    _ model: NSManagedObjectModel, with known: ModelOutline, entities: [String: NSEntityDescription]
  ) -> (outline: ModelOutline, likeness: Likeness) {
    var outline = ModelOutline()
    var likeness = Likeness()
    let names = model.entities.map { $0.name ?? "" }
    if names.elementsEqual(known.elements.entityNames, by: { $0.utf8.elementsEqual($1.utf8) }) {
      // Most versions have the entities of the version before; what differs is replaced.
      outline.elements = OutlineElements(sharingSectionsOf: known.elements)
    } else {
      outline.elements.reserveSections(names.count)
    }
    let isShared = !outline.elements.entityNames.isEmpty
    outline.add(.model, kind: .model, subject: model)
    for (entity, name) in zip(model.entities, names) {
      guard isShared || outline.elements.place(ofSection: name) == nil else { continue }
      guard let other = entities[name], let place = known.elements.place(ofSection: name) else {
        let section = OutlineSection(of: entity, like: nil, [:])
        outline.elements.setSection(section.elements, of: name)
        continue
      }
      let before = known.elements.section(at: place)
      if Self.arePlain(entity, other) {
        if !isShared { outline.elements.setSection(before, of: name) }
        likeness.same.insert(name)
        likeness.plain.insert(name)
        continue
      }
      let section = OutlineSection(of: entity, like: other, before)
      outline.elements.setSection(section.elements, of: name)
      if section.isSame { likeness.same.insert(name) }
    }
    for (name, request) in model.storedTemplates {
      outline.add(.fetchRequest(name), kind: .fetchRequest, subject: request)
    }
    for name in model.namedConfigurations {
      outline.add(
        .configuration(name), kind: .configuration, subject: ConfigurationSubject(name, of: model))
    }
    return (outline, likeness)
  }

  private mutating func add(_ path: ModelPath, kind: ModelElementKind, subject: AnyObject) {
    guard elements[path] == nil else { return }
    elements[path] = ModelElement(kind, reading: subject)
  }

  /// Whether two entities are identical with everything in them, byte for byte, and use no rarer settings.
  private static func arePlain(_ entity: NSEntityDescription, _ other: NSEntityDescription) -> Bool
  {
    // Entities without rarer settings have no indexes.
    guard PlainEquality.areSame(entity, other) else { return false }
    let (own, others) = (entity.ownProperties, other.ownProperties)
    return own.count == others.count
      && zip(own, others).allSatisfy { PlainEquality.areSame($0, $1) }
  }
}

extension ModelElementKind {
  /// The kind of a property description.
  init(of property: NSPropertyDescription) {
    self =
      switch property {
      case is NSDerivedAttributeDescription: .derivedAttribute
      case is NSCompositeAttributeDescription: .compositeAttribute
      case is NSAttributeDescription: .attribute
      case is NSRelationshipDescription: .relationship
      case is NSFetchedPropertyDescription: .fetchedProperty
      default: .expressionProperty
      }
  }

  /// Creates a property description of the kind; nil for other kinds of elements.
  func makeProperty() -> NSPropertyDescription? {
    switch self {
    case .attribute: NSAttributeDescription()
    case .derivedAttribute: NSDerivedAttributeDescription()
    case .compositeAttribute: NSCompositeAttributeDescription()
    case .relationship: NSRelationshipDescription()
    case .fetchedProperty: NSFetchedPropertyDescription()
    case .expressionProperty: NSExpressionDescription()
    case .model, .entity, .index, .fetchRequest, .configuration: nil
    }
  }
}
