import Foundation
import OrderedCollections
import PropertyLists

/// Builds a model from an image's records: first all descriptions, then the links between them.
struct OptimizedModelBuilder {
  private let image: OptimizedModel
  private var archives: OptimizedArchives
  private let model = NSManagedObjectModel()
  private var entities: [NSEntityDescription] = []
  private var properties: [NSPropertyDescription] = []
  private var requests: [NSFetchRequest<NSFetchRequestResult>] = []

  init(_ image: OptimizedModel, limits: ArchiveLimits) {
    self.image = image
    archives = OptimizedArchives(image.tables, limits: limits)
  }

  mutating func build() throws(ModelFileError) -> NSManagedObjectModel {
    try makeEntities()
    for record in image.requests { requests.append(try request(record)) }
    for record in image.properties { properties.append(try property(record)) }
    try giveProperties()
    try linkRelationships()
    try finishEntities()
    try finishModel()
    return model
  }

  // MARK: Entities

  private mutating func makeEntities() throws(ModelFileError) {
    var names = Set<String>()
    for record in image.entities {
      guard let name = try image.tables.name(record.name), names.insert(name).inserted else {
        throw ModelFileError(
          .malformed, "an entity has no name of its own", offset: record.offset)
      }
      let entity = NSEntityDescription(
        name: name, className: try image.tables.name(record.className),
        isAbstract: record.isAbstract)
      entity.setArchivedRenamingIdentifier(try image.tables.string(record.renamingIdentifier))
      if let modifier = try image.tables.string(record.versionHashModifier) {
        entity.extra.versionHashModifier = modifier
      }
      entities.append(entity)
    }
    var children: [Int: [NSEntityDescription]] = [:]
    for (place, record) in image.entities.enumerated() {
      if let above = record.superentity { children[above, default: []].append(entities[place]) }
    }
    for (place, below) in children { entities[place].setSubentitiesUnchecked(below) }
    model.setEntitiesUnchecked(entities)
  }

  /// Assigns properties to their entities. Properties without an entity are expressions of indexes.
  private func giveProperties() throws(ModelFileError) {
    var own: [[NSPropertyDescription]] = Array(repeating: [], count: entities.count)
    var names: [Set<String>] = Array(repeating: [], count: entities.count)
    for (record, property) in zip(image.properties, properties) where record.kind != .expression {
      guard own.indices.contains(record.entity),
        names[record.entity].insert(property.storedName).inserted
      else {
        throw ModelFileError(
          .malformed, "the property '\(property.storedName)' has no place in an entity",
          offset: record.offset)
      }
      own[record.entity].append(property)
    }
    for (entity, list) in zip(entities, own) { entity.setOwnProperties(list) }
  }

  private mutating func finishEntities() throws(ModelFileError) {
    for (place, record) in image.entities.enumerated() {
      let entity = entities[place]
      var constraints: [[String]] = []
      for constraint in record.uniquenessConstraints {
        constraints.append(
          try constraint.map { number throws(ModelFileError) in
            try OptimizedTables.element(number, of: image.tables.names, "name")
          })
      }
      if !constraints.isEmpty { entity.extra.uniquenessConstraints = constraints }
      if let userInfo = try archives.userInfo(record.userInfo), !userInfo.isEmpty {
        entity.extra.userInfo = userInfo
      }
      if record.spotlightExpression != 0 {
        entity.extra.spotlightExpression = try archives.expression(record.spotlightExpression)
      }
      var indexes: [NSFetchIndexDescription] = []
      for index in record.indexes { indexes.append(try fetchIndex(index, record.offset)) }
      entity.setIndexesUnchecked(indexes)
      markIndexed(entity, indexes)
    }
  }

  /// Marks attributes that are the only element of an index as indexed, as momc does.
  private func markIndexed(_ entity: NSEntityDescription, _ indexes: [NSFetchIndexDescription]) {
    let names = Set(
      indexes.filter { $0.elements.count == 1 }.compactMap {
        $0.elements.first?.propertyName
      })
    guard !names.isEmpty else { return }
    for property in entity.ownProperties where names.contains(property.storedName) {
      if property is NSAttributeDescription { property.flags.insert(.indexed) }
    }
  }

  private mutating func fetchIndex(
    _ record: OptimizedEntity.Index, _ offset: Int
  ) throws(ModelFileError) -> NSFetchIndexDescription {
    var elements: [NSFetchIndexElementDescription] = []
    for element in record.elements {
      let expression = try element.expression.map { number throws(ModelFileError) in
        try OptimizedTables.element(number, of: properties, "property")
      }
      guard
        let collation = UInt(exactly: element.collation).flatMap(NSFetchIndexElementType.init)
      else {
        throw ModelFileError(
          .malformed, "\(element.collation) isn't an index element type", offset: offset)
      }
      elements.append(
        NSFetchIndexElementDescription(
          propertyName: try image.tables.name(element.propertyName),
          expression: expression as? NSExpressionDescription, collationType: collation,
          isAscending: element.isAscending))
    }
    let index = NSFetchIndexDescription(
      name: try image.tables.name(record.name) ?? "", elements: elements)
    if let predicate = record.predicate {
      index.storedPartialIndexPredicate = try archives.predicate(predicate)
    }
    // The image doesn't record this; an index named after its only element is synthesized.
    index.isSynthesized = elements.count == 1 && elements.first?.propertyName == index.storedName
    return index
  }

  // MARK: Properties

  private mutating func property(
    _ record: OptimizedProperty
  ) throws(ModelFileError) -> NSPropertyDescription {
    let name = try image.tables.name(record.name) ?? ""
    let flags = record.propertyFlags
    let property: NSPropertyDescription
    switch record.kind {
    case .attribute, .derived: property = try attribute(of: record, named: name, flags: flags)
    case .relationship:
      guard let rule = UInt(exactly: record.deleteRule).flatMap(NSDeleteRule.init) else {
        throw ModelFileError(
          .malformed, "\(record.deleteRule) isn't a delete rule", offset: record.offset)
      }
      property = NSRelationshipDescription(
        name: name, flags: flags, maxCount: record.maxCount, minCount: record.minCount,
        deleteRule: rule)
    case .fetched:
      property = NSFetchedPropertyDescription(
        name: name, flags: flags,
        fetchRequest: try OptimizedTables.element(record.request, of: requests, "fetch request"))
    case .expression:
      property = NSExpressionDescription(
        name: name, flags: flags, expression: try archives.expression(record.derivation),
        resultType: NSAttributeType(rawValue: UInt(record.type)) ?? .undefinedAttributeType)
    }
    try readCommon(record, into: property)
    return property
  }

  private mutating func readCommon(
    _ record: OptimizedProperty, into property: NSPropertyDescription
  ) throws(ModelFileError) {
    property.setArchivedRenamingIdentifier(try image.tables.string(record.renamingIdentifier))
    if let modifier = try image.tables.string(record.versionHashModifier) {
      property.extra.versionHashModifier = modifier
    }
    if let userInfo = try archives.userInfo(record.userInfo), !userInfo.isEmpty {
      property.extra.userInfo = userInfo
    }
    defer { record.addBounds(to: property) }
    guard !record.predicates.isEmpty || !record.warnings.isEmpty else { return }
    for number in record.predicates {
      guard let predicate = try archives.predicate(number) else {
        throw ModelFileError(
          .malformed, "a validation predicate is missing", offset: record.offset)
      }
      property.extra.validationPredicates.append(predicate)
    }
    for warning in record.warnings {
      let value: Any? =
        warning.isData
        ? try archives.value(warning.number)?.any : try image.tables.string(warning.number)
      property.extra.validationWarnings.append(value ?? "")
    }
  }

  private mutating func attribute(
    of record: OptimizedProperty, named name: String, flags: PropertyFlags
  ) throws(ModelFileError) -> NSAttributeDescription {
    guard let type = NSAttributeType(rawValue: UInt(record.type)) else {
      throw ModelFileError(
        .malformed, "\(record.type) isn't an attribute type", offset: record.offset)
    }
    let value = try defaultValue(record)
    let attribute: NSAttributeDescription
    if record.kind == .derived {
      attribute = NSDerivedAttributeDescription(
        name: name, flags: flags, type: type, defaultValue: value,
        expression: try archives.expression(record.derivation),
        filter: try archives.predicate(record.filter))
    } else if type == .compositeAttributeType {
      attribute = NSCompositeAttributeDescription(
        name: name, flags: flags, type: type, defaultValue: value, elements: [])
    } else {
      attribute = NSAttributeDescription(name: name, flags: flags, type: type, defaultValue: value)
    }
    let valueClass = try image.tables.name(record.valueClass)
    if valueClass != type.standardValueClassName {
      attribute.attributeValueClassName = valueClass
    }
    if let transformer = try image.tables.string(record.transformer) {
      attribute.extra.valueTransformerName = transformer
    }
    return attribute
  }

  private mutating func defaultValue(
    _ record: OptimizedProperty
  ) throws(ModelFileError) -> AttributeValue {
    switch record.defaultValue {
    case .none: return .none
    case .integer(let value): return record.type == 800 ? .bool(value != 0) : .integer(value)
    case .double(let value):
      return record.type == 900
        ? .other(.init(Date(timeIntervalSinceReferenceDate: value))) : .double(value)
    case .float(let value): return .float(value)
    case .string(let number):
      return .string(try OptimizedTables.element(number, of: image.tables.strings, "string"))
    case .decimal(let number):
      let text = try OptimizedTables.element(number, of: image.tables.names, "name")
      guard let decimal = Decimal(string: text) else {
        throw ModelFileError(
          .malformed, "'\(text)' isn't a decimal number", offset: record.offset)
      }
      return .other(.init(decimal))
    case .data(let number): return try archives.value(number) ?? .none
    }
  }

  private func linkRelationships() throws(ModelFileError) {
    for (record, property) in zip(image.properties, properties) {
      guard let relationship = property as? NSRelationshipDescription else { continue }
      relationship.storedDestination = try OptimizedTables.element(
        record.destination, of: entities, "entity")
      if let number = record.inverse {
        let inverse = try OptimizedTables.element(number, of: properties, "property")
        relationship.storedInverse = inverse as? NSRelationshipDescription
      }
    }
  }

  // MARK: Requests, and the model as a whole

  private mutating func request(
    _ record: OptimizedRequest
  ) throws(ModelFileError) -> NSFetchRequest<NSFetchRequestResult> {
    let request = NSFetchRequest<NSFetchRequestResult>()
    if let entity = record.entity {
      request.setEntity(try OptimizedTables.element(entity, of: entities, "entity"))
    }
    request.predicate = try archives.predicate(record.predicate)
    request.havingPredicate = try archives.predicate(record.havingPredicate)
    request.fetchLimit = record.fetchLimit
    request.fetchOffset = record.fetchOffset
    request.fetchBatchSize = record.batchSize
    request.storedResultType = record.resultType
    request.fetchFlags = record.requestFlags
    return request
  }

  private mutating func finishModel() throws(ModelFileError) {
    for configuration in image.summary.configurations {
      let name = try image.tables.name(configuration.name) ?? ""
      if name == NSManagedObjectModel.defaultConfigurationName { continue }
      var members: [NSEntityDescription] = []
      for number in configuration.entities {
        members.append(try OptimizedTables.element(number, of: entities, "entity"))
      }
      model.storedConfigurations[name] = members
    }
    for (place, number) in image.summary.templates.enumerated() {
      // The templates' names are the first in the table.
      let name = try OptimizedTables.element(place + 1, of: image.tables.names, "name")
      let template = try OptimizedTables.element(number, of: requests, "fetch request")
      template.joinModel()
      model.storedTemplates[name] = template
    }
    for number in image.summary.versionIdentifiers {
      if let identifier = try archives.value(number)?.any as? AnyHashable {
        model.storedVersionIdentifiers.append(identifier)
      }
    }
  }
}
