import DataModels

extension ModelOutline {
  /// Creates the outline of a model.
  ///
  /// If two entities, or two properties of an entity, have the same name, the first is used.
  public init(of model: NSManagedObjectModel) {
    self.init()
    elements.reserveCapacity(model.entities.count * 10)
    add(.model, kind: .model, subject: model)
    for entity in model.entities { add(entity) }
    for (name, request) in model.storedTemplates {
      add(.fetchRequest(name), kind: .fetchRequest, subject: request)
    }
    for name in model.configurations {
      add(
        .configuration(name), kind: .configuration, subject: ConfigurationSubject(name, of: model))
    }
  }

  private mutating func add(_ entity: NSEntityDescription) {
    let name = entity.name ?? ""
    guard elements[.entity(name)] == nil else { return }
    add(.entity(name), kind: .entity, subject: entity)
    let indexes = entity.indexes
    // The "indexed" checkbox and an index over one property are equivalent. The index takes precedence, because newer
    // compilers write it in addition to the checkbox.
    var indexed = Set<String>()
    for index in indexes where index.elements.count == 1 {
      if let property = index.elements.first?.propertyName { indexed.insert(property) }
    }
    for property in entity.ownProperties {
      let path = ModelPath.property(property.name, of: name)
      let kind = ModelElementKind(of: property)
      add(path, kind: kind, subject: property)
      if indexed.contains(property.name), let fact = Fact.index(of: "indexed", for: kind) {
        elements[path]?.values[fact] = .flag(false)
      }
    }
    for index in indexes { add(.index(index.name, of: name), kind: .index, subject: index) }
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
