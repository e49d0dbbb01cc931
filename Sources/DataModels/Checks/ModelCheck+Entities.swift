import Foundation

// Rules about entities, their hierarchy, and the model as a whole.
extension ModelCheck {
  mutating func checkNamesOfEntities() {
    var seen: [String: String] = [:]
    for entity in model.storedEntities {
      guard let name = entity.name, !name.isEmpty else {
        report(.entityName, in: entity, "an entity has no name", hint: "set its name")
        continue
      }
      if !Self.isIdentifier(name) {
        report(
          .entityName, as: .warning, in: entity, "the name isn't an identifier",
          hint: "use only letters, digits and _, beginning with a letter")
      }
      if let other = seen.updateValue(name, forKey: name.lowercased()) {
        if other == name {
          report(.duplicateEntity, in: entity, "another entity has the same name")
        } else {
          report(
            .duplicateEntity, as: .warning, in: entity,
            "the name differs from that of the entity '\(other)' only in case")
        }
      }
    }
  }

  mutating func checkRenamingIdentifiers() {
    var seen: [String: String] = [:]
    for entity in model.storedEntities {
      guard let identifier = entity.renamingIdentifier, let name = entity.name else { continue }
      if let other = seen.updateValue(name, forKey: identifier), other != name {
        report(
          .renamingIdentifier, as: .warning, in: entity,
          "the renaming identifier '\(identifier)' is that of the entity '\(other)' too")
      }
    }
  }

  mutating func checkHierarchy() {
    var walked = Set<ObjectIdentifier>()
    for entity in model.storedEntities {
      if let above = entity.storedSuperentity {
        let aboveName = above.name ?? ""
        if !contains(above) {
          report(
            .hierarchy, in: entity, "the superentity '\(aboveName)' isn't in the model",
            hint: "add it to the model's entities")
        }
        reportCircle(from: entity, walked: &walked)
      }
      for below in entity.storedSubentities {
        let belowName = below.name ?? ""
        if !contains(below) {
          report(
            .hierarchy, in: entity, "the subentity '\(belowName)' isn't in the model",
            hint: "add it to the model's entities")
        } else if below.storedSuperentity !== entity {
          report(
            .hierarchy, in: entity,
            "the subentity '\(belowName)' has another superentity,"
              + " '\(below.storedSuperentity?.name ?? "none")'")
        }
      }
      if entity.storedIsAbstract && entity.storedSubentities.isEmpty {
        report(
          .abstractLeaf, as: .warning, in: entity,
          "the entity is abstract and has no subentities, so there can be no objects of it")
      }
    }
  }

  /// Follows the superentities up to one that has been visited before, and reports a cycle closed on the way.
  private mutating func reportCircle(
    from entity: NSEntityDescription, walked: inout Set<ObjectIdentifier>
  ) {
    var path: [NSEntityDescription] = []
    var onPath: [ObjectIdentifier: Int] = [:]
    var next: NSEntityDescription? = entity
    while let current = next, walked.insert(ObjectIdentifier(current)).inserted {
      onPath[ObjectIdentifier(current)] = path.count
      path.append(current)
      next = current.storedSuperentity
    }
    guard let closing = next, let start = onPath[ObjectIdentifier(closing)] else { return }
    let names = (path[start...] + [closing]).prefix(8).map { $0.name ?? "" }
    report(
      .hierarchyCycle, in: closing,
      "the entity is its own ancestor: " + names.joined(separator: " is below ")
        + (path.count - start > 7 ? " …" : ""),
      hint: "give one of them another superentity, or none")
  }

  mutating func checkConfigurations() {
    for (name, members) in model.storedConfigurations {
      if name == NSManagedObjectModel.defaultConfigurationName {
        report(
          .configurationName, in: nil,
          "the configuration's name '\(name)' is reserved for that of all entities")
      }
      for member in members where !contains(member) {
        report(
          .configurationMember, in: nil,
          "the configuration '\(name)' contains the entity '\(member.name ?? "")', which isn't in the"
            + " model")
      }
    }
  }

  mutating func checkTemplates() {
    for (name, request) in model.storedTemplates {
      checkRequest(request, on: nil, at: nil, subject: "the fetch request template '\(name)'")
    }
  }

  /// Reports a request whose entity is missing or not in the model.
  mutating func checkRequest(
    _ request: AnyFetchRequest, on entity: NSEntityDescription?, at property: String?,
    subject: String
  ) {
    checkPredicate(of: request, in: entity, at: property, subject)
    if let target = request.entity {
      guard !contains(target) else { return }
      report(
        .fetchRequestEntity, in: entity, at: property,
        "\(subject) is for the entity '\(target.name ?? "")', which isn't in the model")
    } else if let name = request.storedEntityName {
      guard entitiesByName[name] == nil else { return }
      report(
        .fetchRequestEntity, in: entity, at: property,
        "\(subject) is for the entity '\(name)', which doesn't exist")
    } else {
      report(.fetchRequestEntity, in: entity, at: property, "\(subject) has no entity")
    }
  }

  mutating func checkUniqueness(of entity: NSEntityDescription) {
    for constraint in entity.ownUniquenessConstraints {
      let label = constraint.joined(separator: ", ")
      if constraint.isEmpty {
        report(.uniqueness, as: .warning, in: entity, "a uniqueness constraint is empty")
      }
      for name in constraint {
        guard let property = visibleProperty(atPath: name) else {
          report(
            .uniqueness, in: entity, at: name,
            "the uniqueness constraint (\(label)) includes '\(name)', which doesn't exist")
          continue
        }
        if !isStored(property) {
          report(
            .uniqueness, in: entity, at: name,
            "the uniqueness constraint (\(label)) includes '\(name)', which isn't stored")
        } else if (property as? NSRelationshipDescription)?.isToMany == true {
          report(
            .uniqueness, in: entity, at: name,
            "the uniqueness constraint (\(label)) includes '\(name)', a to-many relationship")
        }
      }
    }
  }

  /// Whether a store has a column for a property.
  func isStored(_ property: NSPropertyDescription) -> Bool {
    PropertyHash.isHashed(property)
  }

  /// Whether a name consists of letters, digits and underscores, and starts with a letter or an underscore.
  static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, first == "_" || first.properties.isAlphabetic
    else { return false }
    return name.unicodeScalars.allSatisfy {
      $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType != nil
        || $0.properties.generalCategory == .nonspacingMark
    }
  }
}
