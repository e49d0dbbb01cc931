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
    outline.elements.reserveCapacity(max(model.entities.count * 10, known.elements.count))
    outline.add(.model, kind: .model, subject: model)
    for entity in model.entities {
      let name = entity.name ?? ""
      guard outline.elements[.entity(name)] == nil else { continue }
      guard let other = entities[name] else {
        outline.add(entity)
        continue
      }
      let (isSame, isPlain) = outline.add(entity, like: other, known)
      if isSame { likeness.same.insert(name) }
      if isPlain { likeness.plain.insert(name) }
    }
    for (name, request) in model.storedTemplates {
      outline.add(.fetchRequest(name), kind: .fetchRequest, subject: request)
    }
    for name in model.configurations {
      outline.add(
        .configuration(name), kind: .configuration, subject: ConfigurationSubject(name, of: model))
    }
    return (outline, likeness)
  }

  private mutating func add(_ entity: NSEntityDescription) {
    let name = entity.name ?? ""
    add(.entity(name), kind: .entity, subject: entity)
    let indexed = Self.indexedAlone(in: entity)
    for property in entity.ownProperties {
      add(property, of: name, isIndexedAlone: indexed.contains(property.name))
    }
    for index in entity.indexes {
      add(.index(index.name, of: name), kind: .index, subject: index)
    }
  }

  /// Adds an entity that the other model has too.
  private mutating func add(
    _ entity: NSEntityDescription, like other: NSEntityDescription, _ known: ModelOutline
  ) -> (isSame: Bool, isPlain: Bool) {
    let name = entity.name ?? ""
    let (own, others) = (entity.ownProperties, other.ownProperties)
    var isPlain =
      PlainEquality.areSame(entity, other) && own.count == others.count
      && zip(own, others).allSatisfy { $0.name == $1.name }
    // If the properties differ, each is compared.
    let isLikely = isPlain || own.map(\.name) == others.map(\.name)
    var isSame =
      isLikely && entity.indexes.map(\.name) == other.indexes.map(\.name)
    if isPlain {
      elements[.entity(name)] = known[.entity(name)]
    } else {
      isSame = share(.entity(name), kind: .entity, subject: entity, known) && isSame
    }
    let indexed = Self.indexedAlone(in: entity)
    let indexedBefore = Self.indexedAlone(in: other)
    // An entity's elements are contiguous.
    let start = known.elements.index(forKey: .entity(name)).map { $0 + 1 } ?? 0
    for (place, property) in own.enumerated() {
      let path = ModelPath.property(property.name, of: name)
      if isLikely, PlainEquality.areSame(property, others[place]),
        indexed.isEmpty && indexedBefore.isEmpty,
        let element = known.element(at: path, probably: start + place)
      {
        // If two elements have the same name, the first is used.
        if let first = elements.updateValue(element, forKey: path) { elements[path] = first }
        continue
      }
      isPlain = false
      add(property, of: name, isIndexedAlone: indexed.contains(property.name))
      if let element = elements[path], let before = known[path], element == before {
        elements[path] = before
      } else {
        isSame = false
      }
    }
    for index in entity.indexes {
      isSame =
        share(.index(index.name, of: name), kind: .index, subject: index, known) && isSame
    }
    return (isSame, isSame && isPlain)
  }

  /// Returns the element with a path, which is probably at the given index.
  private func element(at path: ModelPath, probably place: Int) -> ModelElement? {
    if place < elements.count, elements.elements[place].key == path {
      return elements.elements[place].value
    }
    return elements[path]
  }

  /// Adds an element, sharing the other outline's if it is equal.
  ///
  /// - Returns: whether it was shared.
  private mutating func share(
    _ path: ModelPath, kind: ModelElementKind, subject: AnyObject, _ known: ModelOutline
  ) -> Bool {
    add(path, kind: kind, subject: subject)
    guard let element = elements[path], let before = known[path], element == before else {
      return false
    }
    elements[path] = before
    return true
  }

  private mutating func add(
    _ property: NSPropertyDescription, of entity: String, isIndexedAlone: Bool
  ) {
    let path = ModelPath.property(property.name, of: entity)
    let kind = ModelElementKind(of: property)
    add(path, kind: kind, subject: property)
    if isIndexedAlone, let fact = Fact.index(of: "indexed", for: kind) {
      elements[path]?.values[fact] = .flag(false)
    }
  }

  /// Returns the properties that have an index to themselves. The "indexed" checkbox and an index on one property
  /// mean the same; the index takes precedence, since newer compilers write it in addition to the checkbox.
  private static func indexedAlone(in entity: NSEntityDescription) -> Set<String> {
    var indexed = Set<String>()
    for index in entity.indexes where index.elements.count == 1 {
      if let property = index.elements.first?.propertyName { indexed.insert(property) }
    }
    return indexed
  }

  private mutating func add(_ path: ModelPath, kind: ModelElementKind, subject: AnyObject) {
    guard elements[path] == nil else { return }
    let isPlain = kind.isProperty && (subject as? NSPropertyDescription)?.extras == nil
    elements[path] = ModelElement(
      kind: kind,
      values: Fact.table(for: kind).map { $0.isRare && isPlain ? .none : $0.read(subject) })
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
