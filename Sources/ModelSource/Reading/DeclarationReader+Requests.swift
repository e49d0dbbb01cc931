import DataModels

extension DeclarationReader {
  // MARK: Fetch requests and indexes

  mutating func fetchRequest(
    _ element: SourceElement, in entity: String? = nil, property: String? = nil
  ) -> FetchRequestDeclaration {
    var request = FetchRequestDeclaration(element: element)
    request.name = name(
      of: element, DiagnosticSubject(element, entity: entity, property: property))
    let subject = DiagnosticSubject(element, entity: entity ?? request.name, property: property)
    for attribute in element.attributes {
      switch attribute.name {
      case "name": break
      case "entity": request.entity = nonEmpty(attribute.value)
      case "predicateString": request.predicate = nonEmpty(attribute.value)
      case "fetchLimit": request.fetchLimit = integer(attribute, subject)
      case "fetchBatchSize": request.batchSize = integer(attribute, subject)
      case "resultType": request.resultType = integer(attribute, subject)
      case "includeSubentities": request.includesSubentities = boolean(attribute, subject)
      case "includePropertyValues": request.includesPropertyValues = boolean(attribute, subject)
      case "includesPendingChanges": request.includesPendingChanges = boolean(attribute, subject)
      case "returnObjectsAsFaults": request.returnsObjectsAsFaults = boolean(attribute, subject)
      case "returnDistinctResults": request.returnsDistinctResults = boolean(attribute, subject)
      default: unknown(attribute, subject)
      }
    }
    for child in element.children { unknown(child, in: subject) }
    return request
  }

  mutating func fetchIndex(_ element: SourceElement, in entity: String) -> FetchIndexDeclaration {
    var index = FetchIndexDeclaration(element: element)
    index.name = name(of: element, DiagnosticSubject(element, entity: entity))
    let subject = DiagnosticSubject(element, entity: entity, property: index.name)
    for attribute in element.attributes {
      switch attribute.name {
      case "name": break
      case "partialIndexPredicate": index.partialPredicate = nonEmpty(attribute.value)
      default: unknown(attribute, subject)
      }
    }
    for child in element.children {
      if child.name == "fetchIndexElement" {
        index.elements.append(fetchIndexElement(child, subject))
      } else {
        unknown(child, in: subject)
      }
    }
    return index
  }

  private mutating func fetchIndexElement(
    _ element: SourceElement, _ index: DiagnosticSubject
  ) -> FetchIndexDeclaration.Element {
    var result = FetchIndexDeclaration.Element(element: element)
    let subject = DiagnosticSubject(element, entity: index.entity, property: index.property)
    for attribute in element.attributes {
      switch attribute.name {
      case "property": result.property = nonEmpty(attribute.value)
      case "expression": result.expression = nonEmpty(attribute.value)
      case "expressionType":
        if let type = NSAttributeType(sourceName: attribute.value) {
          result.expressionType = type
        } else {
          log.add(
            .unknownType, about: subject, at: attribute.name,
            "there is no attribute type '\(attribute.value)'")
        }
      case "type":
        result.isRTree =
          choice(of: attribute, among: ["Binary", "RTree"], subject: subject) == "RTree"
      case "order":
        result.isAscending =
          choice(of: attribute, among: ["ascending", "descending"], subject: subject)
          != "descending"
      default: unknown(attribute, subject)
      }
    }
    for child in element.children { unknown(child, in: subject) }
    if result.property == nil, result.expression == nil {
      log.add(.missingName, about: subject, "the index element names no property")
    }
    return result
  }

  private mutating func choice(
    of attribute: SourceAttribute, among choices: [String], subject: DiagnosticSubject
  ) -> String? {
    if choices.contains(attribute.value) { return attribute.value }
    log.add(
      .invalidValue, about: subject, at: attribute.name,
      "\(attribute.name) is '\(attribute.value)'; it is one of \(choices.joined(separator: ", "))"
        + ", and counts as the first")
    return nil
  }
}
