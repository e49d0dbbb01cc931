import ModelListing

extension ReportData.Model {
  /// Creates the report data of a model.
  public init(_ schema: ModelSchema) {
    var places: [String: Int] = [:]
    for (index, entity) in schema.entities.enumerated() where places[entity.name] == nil {
      places[entity.name] = index
    }
    var memberships: [String: [String]] = [:]
    for configuration in schema.configurations {
      for entity in configuration.entities {
        memberships[entity, default: []].append(configuration.name)
      }
    }
    identifiers = schema.versionIdentifiers.filter { !$0.isEmpty }
    checksum = schema.checksum
    compiler = schema.compiler.flatMap { stamp in
      let words = [
        stamp.xcodeName.map { "Xcode \($0)" },
        stamp.toolVersion.map { "momc \(ValueWords.number($0))" },
      ].compactMap { $0 }
      return words.isEmpty ? nil : words.joined(separator: ", ")
    }
    entities = schema.entities.map { entity in
      ReportData.Entity(entity, places: places, memberships: memberships[entity.name])
    }
    configurations = schema.configurations.map { configuration in
      Configuration(
        name: configuration.name, entities: configuration.entities.compactMap { places[$0] })
    }
    requests = schema.fetchRequestTemplates.map { request in
      Request(
        name: request.name ?? "", entity: request.entity.flatMap { places[$0] },
        entityName: request.entity, predicate: request.predicate,
        notes: RequestWords.notes(request).orNil)
    }
  }
}

extension ReportData.Entity {
  init(_ entity: ModelSchema.Entity, places: [String: Int], memberships: [String]?) {
    var notes: [String] = []
    if let identifier = entity.renamingIdentifier { notes.append("renamed from \(identifier)") }
    if let modifier = entity.versionHashModifier { notes.append("hash modifier \(modifier)") }
    if let name = entity.coreSpotlightDisplayName { notes.append("Spotlight shows \(name)") }
    for index in entity.compoundIndexes {
      notes.append("compound index over \(index.joined(separator: ", "))")
    }
    if let parent = entity.superentity, places[parent] == nil {
      notes.append("the parent \(parent) isn't in the model")
    }
    self.init(
      name: entity.name, className: entity.className,
      isAbstract: entity.isAbstract ? true : nil,
      parent: entity.superentity.flatMap { places[$0] },
      children: entity.subentities.compactMap { places[$0] }.orNil, hash: entity.versionHash,
      notes: notes.orNil, configurations: memberships, attributes: [], relationships: [],
      indexes: entity.indexes.map { .init(name: $0.name, text: IndexWords.text($0)) }.orNil,
      unique: entity.uniquenessConstraints.map { $0.joined(separator: ", ") }.orNil,
      info: Self.info(entity.userInfo).orNil)
    for property in entity.properties { add(property, inside: "", places) }
  }

  private mutating func add(
    _ property: ModelSchema.Property, inside path: String, _ places: [String: Int]
  ) {
    switch property.detail {
    case .relationship(let relationship):
      relationships.append(.init(property, relationship, places: places))
    case .attribute(let attribute):
      attributes.append(.init(property, path: path, attribute))
      for element in attribute.elements ?? [] {
        add(element, inside: path + property.name + ".", places)
      }
    case .fetchedProperty(let fetched):
      attributes.append(.init(property, path: path, fetched, places: places))
    case .expression(let expression):
      attributes.append(
        .init(
          name: path + property.name, type: expression.resultType.title,
          notes: ["is \(expression.expression ?? "nothing")"]))
    }
  }

  static func info(_ values: [String: ModelSchema.Value]) -> [ReportData.Named] {
    values.sorted { $0.key < $1.key }.map {
      .init(name: $0.key, text: ValueWords.text($0.value))
    }
  }
}

extension ReportData.Attribute {
  fileprivate init(
    _ property: ModelSchema.Property, path: String, _ attribute: ModelSchema.Attribute
  ) {
    var notes: [String] = []
    if let derivation = attribute.derivation {
      notes.append("is \(derivation.expression ?? "nothing")")
      if let filter = derivation.filter { notes.append("of those where \(filter)") }
    }
    if let name = attribute.valueClassName { notes.append("values are \(name)") }
    if let name = attribute.valueTransformerName { notes.append("transformed by \(name)") }
    if attribute.allowsExternalBinaryDataStorage { notes.append("large values in files") }
    if attribute.preservesValueInHistoryOnDeletion {
      notes.append("kept in the history of deleted objects")
    }
    if attribute.allowsCloudEncryption { notes.append("encrypted in CloudKit") }
    self.init(
      name: path + property.name, type: attribute.type.title,
      isOptional: property.isOptional ? true : nil,
      defaultValue: attribute.defaultValue.map(ValueWords.text),
      validation: property.validation.map { ValidationWords.text($0, type: attribute.type) }.orNil,
      notes: (notes + property.commonNotes).orNil)
  }

  fileprivate init(
    _ property: ModelSchema.Property, path: String, _ fetched: ModelSchema.FetchedProperty,
    places: [String: Int]
  ) {
    let request = fetched.fetchRequest
    var notes = request.map(RequestWords.notes) ?? []
    if let predicate = request?.predicate { notes.insert("where \(predicate)", at: 0) }
    self.init(
      name: path + property.name, type: "fetches \(request?.entity ?? "nothing")",
      notes: (notes + property.commonNotes).orNil,
      fetches: request?.entity.flatMap { places[$0] })
  }
}

extension ReportData.Relationship {
  fileprivate init(
    _ property: ModelSchema.Property, _ relationship: ModelSchema.Relationship,
    places: [String: Int]
  ) {
    let notes = (relationship.isOrdered ? ["ordered"] : []) + property.commonNotes
    self.init(
      name: property.name, to: relationship.destination.flatMap { places[$0] },
      toName: relationship.destination, inverse: relationship.inverse,
      isToMany: relationship.isToMany ? true : nil, isOptional: property.isOptional ? true : nil,
      count: Self.count(relationship, isOptional: property.isOptional),
      rule: relationship.deleteRule.title, notes: notes.orNil)
  }

  /// The number of objects that a relationship allows, in words.
  private static func count(_ relationship: ModelSchema.Relationship, isOptional: Bool) -> String {
    let least = isOptional ? 0 : max(1, relationship.minCount)
    // Any maximum below 1 is none.
    switch (least, relationship.minCount, max(0, relationship.maxCount)) {
    case (0, _, 1): return "none or one"
    case (_, _, 1): return "one"
    case (0, ...1, 0): return "any number"
    case (0, ...1, let most): return "up to \(most)"
    case (0, let few, 0): return "none, or at least \(few)"
    case (0, let few, let most): return "none, or \(few) to \(most)"
    case (let few, _, 0): return few == 1 ? "one or more" : "at least \(few)"
    case (let few, _, let most): return few == most ? "\(few)" : "\(few) to \(most)"
    }
  }
}

extension ModelSchema.Property {
  /// The settings common to all kinds of properties, in words.
  fileprivate var commonNotes: [String] {
    var notes: [String] = []
    if common.isTransient { notes.append("not stored") }
    if common.isReadOnly, kind == .attribute { notes.append("read-only") }
    if common.isIndexed { notes.append("indexed") }
    if common.isIndexedBySpotlight { notes.append("in Spotlight") }
    if common.isStoredInExternalRecord { notes.append("in the external record") }
    if let identifier = common.renamingIdentifier { notes.append("renamed from \(identifier)") }
    if let modifier = common.versionHashModifier { notes.append("hash modifier \(modifier)") }
    for entry in ReportData.Entity.info(common.userInfo) {
      notes.append("\(entry.name) = \(entry.text)")
    }
    return notes
  }
}

extension Array {
  /// The array; nil if it is empty, so that it is omitted from the JSON.
  var orNil: Self? { isEmpty ? nil : self }
}
