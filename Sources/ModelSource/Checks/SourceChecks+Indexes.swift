import DataModels

extension SourceChecks {
  // MARK: Uniqueness and indexes

  mutating func checkIndexes(of number: Int) {
    let entity = model.entities[number]
    for constraint in entity.uniquenessConstraints {
      checkUniqueness(constraint, of: number)
    }
    for compound in entity.compoundIndexes {
      for name in compound.names { checkIndexed(name, compound.element, of: number) }
    }
    var names: Set<String> = []
    for fetchIndex in entity.fetchIndexes {
      if !names.insert(fetchIndex.name).inserted {
        log.add(
          .duplicateName, about: DiagnosticSubject(fetchIndex.element, entity: entity.name),
          at: "name",
          "the entity has another index '\(fetchIndex.name)'")
      }
      for element in fetchIndex.elements {
        guard element.expression == nil, let name = element.property else { continue }
        checkIndexed(name, element.element, of: number)
      }
    }
  }

  private mutating func checkUniqueness(_ constraint: NameTuple, of number: Int) {
    let entity = model.entities[number]
    let subject = DiagnosticSubject(constraint.element, entity: entity.name)
    if constraint.names.isEmpty {
      log.add(.uniquenessProperty, about: subject, "the uniqueness constraint names no attribute")
    }
    for name in constraint.names {
      switch index.property(atPath: name, of: number) {
      case .attribute(let attribute) where !attribute.isTransient: break
      case .attribute:
        log.add(
          .uniquenessProperty, about: subject,
          "the uniqueness constraint names '\(name)', which is transient")
      case .relationship(let relationship) where !relationship.isToMany:
        // Core Data accepts to-one relationships, although Xcode's editor doesn't offer them.
        break
      case .relationship, .fetched:
        log.add(
          .uniquenessProperty, about: subject,
          "the uniqueness constraint names '\(name)', which is neither an attribute nor a to-one"
            + " relationship")
      case nil:
        log.add(
          .uniquenessProperty, about: subject,
          "the uniqueness constraint names '\(name)', which doesn't exist"
            + suggestProperty(name, of: number))
      }
    }
  }

  /// What an index may refer to besides properties: a row's key and its entity.
  private static let rowNames: Set<String> = ["self", "entity"]

  private mutating func checkIndexed(_ name: String, _ element: SourceElement, of number: Int) {
    let subject = DiagnosticSubject(element, entity: model.entities[number].name)
    switch index.property(atPath: name, of: number) {
    case .attribute(let attribute) where attribute.isTransient:
      log.add(.indexProperty, about: subject, "the index names '\(name)', which is transient")
    case .attribute, .relationship: break
    case .fetched:
      log.add(
        .indexProperty, about: subject, "the index names '\(name)', which is a fetched property")
    case nil where Self.rowNames.contains(name): break
    case nil:
      log.add(
        .indexProperty, about: subject,
        "the index names '\(name)', which doesn't exist" + suggestProperty(name, of: number))
    }
  }

  func suggestProperty(_ name: String, of number: Int) -> String {
    didYouMean(SpellingSuggestion.nearest(to: name, among: index.propertyNames(of: number)))
  }

  // MARK: Configurations and fetch requests

  mutating func checkConfigurations() {
    for configuration in model.configurations {
      for member in configuration.members {
        let name = member["name"] ?? ""
        guard index.entities[name] == nil else { continue }
        log.add(
          .configurationMember, about: DiagnosticSubject(member, entity: configuration.name),
          "the configuration's entity '\(name)' doesn't exist" + suggestEntity(name))
      }
    }
  }

  mutating func checkFetchRequests() {
    for request in model.fetchRequests {
      checkEntity(of: request, DiagnosticSubject(request.element, entity: request.name))
    }
    for entity in model.entities {
      for property in entity.fetchedProperties {
        guard let request = property.fetchRequest else { continue }
        checkEntity(
          of: request,
          DiagnosticSubject(request.element, entity: entity.name, property: property.name))
      }
    }
  }

  private mutating func checkEntity(
    of request: FetchRequestDeclaration, _ subject: DiagnosticSubject
  ) {
    guard let name = request.entity else {
      log.add(.fetchEntity, about: subject, "the fetch request names no entity")
      return
    }
    if index.entities[name] == nil {
      log.add(
        .fetchEntity, about: subject, at: "entity",
        "the fetch request's entity '\(name)' doesn't exist" + suggestEntity(name))
    }
  }
}
