import DataModels

/// Converts a document's tree to declarations: interprets every known element and attribute, and reports those that are
/// unknown or meaningless.
struct DeclarationReader {
  var log: DiagnosticLog

  /// Reads a document, adding diagnostics to `log`.
  static func read(_ document: SourceDocument, log: inout DiagnosticLog) -> ModelDeclaration {
    var reader = DeclarationReader(log: log)
    let model = reader.model(document.root)
    log = reader.log
    return model
  }

  // MARK: The model

  private mutating func model(_ element: SourceElement) -> ModelDeclaration {
    var model = ModelContent(element: element)
    let subject = DiagnosticSubject(element)
    guard element.name == "model" else {
      log.add(
        .document, about: subject,
        "the outermost element is <\(element.name)>; a Core Data model's is <model>")
      return ModelDeclaration(model)
    }
    for attribute in element.attributes {
      switch attribute.name {
      case "userDefinedModelVersionIdentifier": model.versionIdentifier = attribute.value
      case "sourceLanguage": model.sourceLanguage = attribute.value
      case "usedWithCloudKit", "usedWithSwiftData":
        let isOn = boolean(attribute, subject)
        if attribute.name == "usedWithCloudKit" { model.usedWithCloudKit = isOn }
      case "type":
        if attribute.value != ModelElements.documentType {
          log.add(
            .document, about: subject, at: "type", severity: .warning,
            "the type is '\(attribute.value)'; Xcode's models say '\(ModelElements.documentType)'")
        }
      case "name", "documentVersion", "lastSavedToolsVersion", "systemVersion",
        "minimumToolsVersion", "macOSVersion", "iOSVersion":
        break
      default: unknown(attribute, subject)
      }
    }
    for child in element.children {
      switch child.name {
      case "entity": model.entities.append(entity(child))
      case "fetchRequest": model.fetchRequests.append(fetchRequest(child))
      case "configuration": model.configurations.append(configuration(child))
      case "composite": model.composites.append(composite(child))
      case "elements": break
      default: unknown(child, in: subject)
      }
    }
    return ModelDeclaration(model)
  }

  private mutating func entity(_ element: SourceElement) -> EntityDeclaration {
    var entity = EntityContent(element: element)
    entity.name = name(of: element, DiagnosticSubject(element))
    let subject = DiagnosticSubject(element, entity: entity.name)
    for attribute in element.attributes {
      switch attribute.name {
      case "name", "syncable": break
      case "representedClassName": entity.className = attribute.value
      case "codeGenerationType": entity.codeGeneration = codeGeneration(attribute, subject)
      case "parentEntity": entity.parent = attribute.value
      case "isAbstract": entity.isAbstract = boolean(attribute, subject)
      case "elementID": entity.renamingIdentifier = attribute.value
      case "versionHashModifier": entity.versionHashModifier = attribute.value
      case "coreSpotlightDisplayNameExpression": entity.spotlightExpression = attribute.value
      default: unknown(attribute, subject)
      }
    }
    for child in element.children {
      switch child.name {
      case "attribute": entity.attributes.append(self.attribute(child, in: entity.name))
      case "relationship": entity.relationships.append(relationship(child, in: entity.name))
      case "fetchedProperty":
        entity.fetchedProperties.append(fetchedProperty(child, in: entity.name))
      case "fetchIndex": entity.fetchIndexes.append(fetchIndex(child, in: entity.name))
      case "compoundIndexes":
        entity.compoundIndexes += tuples(
          child, of: "compoundIndex", item: "index", in: entity.name)
      case "uniquenessConstraints":
        entity.uniquenessConstraints += tuples(
          child, of: "uniquenessConstraint", item: "constraint", in: entity.name)
      case "userInfo": entity.userInfo += userInfo(child, subject)
      default: unknown(child, in: subject)
      }
    }
    return EntityDeclaration(entity)
  }

  private mutating func configuration(_ element: SourceElement) -> ConfigurationDeclaration {
    var configuration = ConfigurationDeclaration(element: element)
    configuration.name = name(of: element, DiagnosticSubject(element))
    let subject = DiagnosticSubject(element, entity: configuration.name)
    for attribute in element.attributes where attribute.name != "name" {
      if attribute.name == "usedWithCloudKit" {
        _ = boolean(attribute, subject)
      } else {
        unknown(attribute, subject)
      }
    }
    for child in element.children {
      if child.name == "memberEntity" {
        checkAttributes(of: child, subject)
        configuration.members.append(child)
      } else {
        unknown(child, in: subject)
      }
    }
    return configuration
  }

  private mutating func composite(_ element: SourceElement) -> CompositeDeclaration {
    var composite = CompositeDeclaration(element: element)
    composite.name = name(of: element, DiagnosticSubject(element))
    let subject = DiagnosticSubject(element, entity: composite.name)
    checkAttributes(of: element, subject)
    for child in element.children {
      if child.name == "attribute" {
        composite.attributes.append(attribute(child, in: composite.name))
      } else {
        unknown(child, in: subject)
      }
    }
    return composite
  }

  private mutating func tuples(
    _ element: SourceElement, of kind: String, item: String, in entity: String
  ) -> [NameTuple] {
    let subject = DiagnosticSubject(element, entity: entity)
    checkAttributes(of: element, subject)
    var tuples: [NameTuple] = []
    for child in element.children {
      guard child.name == kind else {
        unknown(child, in: subject)
        continue
      }
      checkAttributes(of: child, DiagnosticSubject(child, entity: entity))
      var names: [String] = []
      for value in child.children {
        let valueSubject = DiagnosticSubject(value, entity: entity)
        guard value.name == item else {
          unknown(value, in: DiagnosticSubject(child, entity: entity))
          continue
        }
        checkAttributes(of: value, valueSubject)
        guard let name = value["value"], !name.isEmpty else {
          log.add(.missingName, about: valueSubject, "<\(item)> has no value")
          continue
        }
        names.append(name)
      }
      tuples.append(NameTuple(element: child, names: names))
    }
    return tuples
  }

  private mutating func codeGeneration(
    _ attribute: SourceAttribute, _ subject: DiagnosticSubject
  ) -> CodeGenerationType {
    if let type = CodeGenerationType(rawValue: attribute.value) { return type }
    log.add(
      .invalidValue, about: subject, at: attribute.name,
      "codeGenerationType is '\(attribute.value)'; 'class', 'category' and 'none' are known")
    return .manual
  }
}
