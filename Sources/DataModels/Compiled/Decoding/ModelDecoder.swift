import Foundation
import OrderedCollections
import PredicateFormat
import PropertyLists

/// Decodes a model from its archive.
///
/// A model's objects refer to each other in cycles: entity to property to entity, relationship to inverse. Instances
/// are therefore created first, by object number, and linked once all of them exist. The depth of recursion does not
/// depend on the input.
final class ModelDecoder {
  let reader: ArchiveFieldReader
  let archive: KeyedArchive
  let model = NSManagedObjectModel()
  let instances: DecodedInstances
  private var entities: [(number: Int, name: String, entity: NSEntityDescription)] = []
  @exclusivity(unchecked) private var root = 0
  /// Relationships and their inverses, by object number, to be linked when all of them exist.
  @exclusivity(unchecked) var inverses: [(relationship: Int, inverse: Int)] = []
  /// The relationships whose inverse is an inherited copy that was omitted, keyed by that copy's number.
  private var inheritedCopies: [Int: (entity: String, name: String)] = [:]
  /// Whether Core Data wrote the archive at run time, for a store's model cache.
  private var listsInheritedProperties = false
  /// The number of entities that have a list of indexes, even an empty one.
  var indexListCount = 0
  private var preservedArchive: PreservedArchive?
  /// How many more objects predicates and values may consist of.
  var budget: Int
  /// The budget for all values of the archive together.
  var valueBudget: FoundationValueBudget
  /// The nesting depth of the fetch requests being decoded.
  var requestDepth = 0

  init(_ archive: KeyedArchive, _ scanner: BinaryScanner) {
    self.archive = archive
    reader = ArchiveFieldReader(archive, scanner)
    instances = DecodedInstances(count: archive.count)
    budget = min(archive.limits.objectCount, archive.count &* 16 &+ 1024)
    valueBudget = FoundationValueBudget(archive)
  }

  func decode() throws(ArchiveError) -> NSManagedObjectModel {
    guard let root = archive.topReference(), root != 0 else {
      throw ArchiveError(.valueNotFound, "the archive has no root object", key: "root")
    }
    let type = try reader.type(of: root)
    guard type.kind == .model else {
      throw ArchiveError(
        .invalidContent, "not a model: the root object is of class \(described(type).name)",
        object: root)
    }
    self.root = root
    try decodeModel(root, type)
    finishPreserving()
    return model
  }

  private func decodeModel(
    _ number: Int, _ type: ArchivedModelClass
  ) throws(ArchiveError) {
    var entityTable: Int?
    var configurations: Int?
    var templates: Int?
    var stamp = CompilerStamp(toolVersion: 0, xcodeVersion: 0)
    var isStamped = false
    var unknown: [PreservedContent.Field] = []
    try reader.forEachField(of: number) { field throws(ArchiveError) in
      switch field.key {
      case .entities:
        guard let dictionary = try reader.reference(field, of: number) else { return }
        listsInheritedProperties =
          try reader.type(of: dictionary, .entities).kind == .knownKeysDictionary
        entityTable = dictionary
        try makeEntities(dictionary)
      case .configurations: configurations = try reader.reference(field, of: number)
      case .fetchRequestTemplates: templates = try reader.reference(field, of: number)
      case .versionIdentifiers:
        guard let set = try reader.reference(field, of: number) else { return }
        model.storedVersionIdentifiers = try versionIdentifiers(set)
      case .compilerToolVersion:
        stamp.toolVersion = try reader.double(field, of: number)
        isStamped = true
      case .compilerXcodeVersion:
        stamp.xcodeVersion = try reader.integer(field, of: number)
        isStamped = true
      default: unknown.append(unknownField(field))
      }
    }
    model.compilerStamp = isStamped ? stamp : nil
    model.preserved = preserved(unknown, type)
    try decodeEntities()
    if isStamped {
      model.compilerVintage = .modern
    } else if let entityTable, !listsInheritedProperties {
      model.compilerVintage = vintage(entities: entityTable)
    }
    model.listsIndexesOfAllEntities =
      !listsInheritedProperties || indexListCount == model.storedEntities.count
    if let configurations { try decodeConfigurations(configurations) }
    if let templates {
      for (name, request) in try reader.entries(
        ofDictionary: templates, .fetchRequestTemplates)
      {
        let template = try fetchRequest(request)
        template.joinModel()
        model.storedTemplates[name] = template
      }
    }
  }

  private func versionIdentifiers(
    _ set: Int
  ) throws(ArchiveError) -> OrderedSet<AnyHashable> {
    var identifiers: OrderedSet<AnyHashable> = []
    for member in try reader.members(ofCollection: set, .versionIdentifiers) {
      guard let value = try foundationValue(member)?.any as? AnyHashable else {
        throw ArchiveError(
          .typeMismatch, "a version identifier is neither text nor number", object: member,
          key: ModelKey.versionIdentifiers.text)
      }
      identifiers.append(value)
    }
    return identifiers
  }

  private func decodeConfigurations(_ dictionary: Int) throws(ArchiveError) {
    for (name, set) in try reader.entries(ofDictionary: dictionary, .configurations) {
      var members: [NSEntityDescription] = []
      for member in try reader.members(ofCollection: set, .configurations) {
        members.append(try entity(member, of: set, key: .configurations))
      }
      // Run-time models may include the default configuration, which is never stored.
      if name != NSManagedObjectModel.defaultConfigurationName {
        model.storedConfigurations[name] = members
      }
    }
  }

  // MARK: Entities

  private func makeEntities(_ dictionary: Int) throws(ArchiveError) {
    var names = Set<String>()
    for (name, number) in try reader.entries(ofDictionary: dictionary, .entities) {
      guard number != 0, try reader.type(of: number, .entities).kind == .entity else {
        throw ArchiveError(
          .typeMismatch, "'\(name)' isn't an entity", object: number, key: ModelKey.entities.text)
      }
      guard names.insert(name).inserted, instances.isFree(number) else {
        throw ArchiveError(
          .invalidContent, "the entity '\(name)' is listed twice", object: number,
          key: ModelKey.entities.text)
      }
      let entity = NSEntityDescription(name: name, className: nil, isAbstract: false)
      instances.enter(entity, at: number)
      entities.append((number, name, entity))
    }
  }

  private func decodeEntities() throws(ArchiveError) {
    model.setEntitiesUnchecked(entities.map(\.entity))
    var hierarchy = HierarchyDecoder(names: entities.map(\.name))
    var properties: [[(name: String, value: Int)]] = []
    properties.reserveCapacity(entities.count)
    for (position, (number, name, entity)) in entities.enumerated() {
      let links = try decodeEntity(number, named: name, into: entity)
      try hierarchy.add(
        position,
        superentity: links.superentity.map { link throws(ArchiveError) in
          try self.position(ofEntity: link, number)
        },
        subentities: links.subentities.map { link throws(ArchiveError) in
          try self.position(ofEntity: link, number)
        })
      properties.append(links.properties)
    }
    try hierarchy.check { self.entities[$0].number }
    for (position, children) in hierarchy.children.enumerated() where !children.isEmpty {
      entities[position].entity.setSubentitiesUnchecked(children.map { entities[$0].entity })
    }
    for (position, entries) in properties.enumerated() {
      try decodeProperties(entries, at: position, hierarchy)
    }
    try linkInverses()
  }

  private func position(ofEntity number: Int, _ holder: Int) throws(ArchiveError) -> Int {
    if positions.isEmpty {
      for (position, entity) in entities.enumerated() { positions[entity.number] = position }
    }
    guard let position = positions[number] else {
      throw ArchiveError(
        .invalidContent, "it is linked to an entity that is not one of the model's",
        object: holder, key: ModelKey.superentity.text)
    }
    return position
  }

  private var positions: [Int: Int] = [:]

  /// The entity decoded from an object.
  func entity(
    _ number: Int, of holder: Int, key: ModelKey
  ) throws(ArchiveError) -> NSEntityDescription {
    guard let entity = instances.entity(number) else {
      throw noEntity(number, of: holder, key: key)
    }
    return entity
  }

  func noEntity(_ number: Int, of holder: Int, key: ModelKey) -> ArchiveError {
    ArchiveError(
      .invalidContent, "object \(number) is not one of the model's entities", object: holder,
      key: key.text)
  }

  /// Whether an object is the model itself.
  func isRoot(_ number: Int) -> Bool { number == root }

  // MARK: Properties

  private func decodeProperties(
    _ entries: [(name: String, value: Int)], at position: Int, _ hierarchy: HierarchyDecoder
  ) throws(ArchiveError) {
    let (number, _, entity) = entities[position]
    let inherited = try inheritedProperties(of: position, hierarchy)
    var properties: [NSPropertyDescription] = []
    properties.reserveCapacity(entries.count)
    for (name, object) in entries {
      let fields = try reader.propertyFields(object)
      let type = try reader.type(of: fields)
      if type.kind == .propertyProxy { continue }
      if let original = inherited[name], isCopy(fields, type, of: original) {
        inheritedCopies[object] = (entities[position].name, name)
        continue
      }
      guard instances.isFree(object) else {
        throw ArchiveError(
          .invalidContent, "the property '\(name)' belongs to two entities", object: object)
      }
      let property = try self.property(type, fields, owner: number)
      guard property.storedName == name else {
        throw ArchiveError(
          .invalidContent, "a property listed as '\(name)' is called '\(property.storedName)'",
          object: object, key: ModelKey.propertyName.text)
      }
      instances.enter(property, at: object, isRelationship: type.kind == .relationship)
      properties.append(property)
    }
    entity.setOwnProperties(properties)
  }

  /// In a store's cache, where each entity repeats its inherited properties: the properties of the nearest ancestor by
  /// name.
  private func inheritedProperties(
    of position: Int, _ hierarchy: HierarchyDecoder
  ) throws(ArchiveError) -> [String: Int] {
    guard listsInheritedProperties else { return [:] }
    var names: [String: Int] = [:]
    var depth = 0
    var ancestor = hierarchy.parents[position]
    while let above = ancestor {
      depth += 1
      guard depth <= archive.limits.depth else {
        throw ArchiveError(
          .limitExceeded, "entities inherit more than \(archive.limits.depth) deep",
          object: entities[position].number, key: ModelKey.superentity.text)
      }
      let listed = listedProperties(above)
      try reader.count(references: listed.count, of: entities[position].number)
      names.merge(listed) { nearer, _ in nearer }
      ancestor = hierarchy.parents[above]
    }
    return names
  }

  private var propertiesOfEntities: [Int: [String: Int]] = [:]

  private func listedProperties(_ position: Int) -> [String: Int] {
    if let known = propertiesOfEntities[position] { return known }
    var properties: [String: Int] = [:]
    if let dictionary = reader.value(.properties, of: entities[position].number)
      .flatMap(archive.reference),
      let entries = try? reader.entries(ofDictionary: dictionary, .properties)
    {
      for (name, object) in entries { properties[name] = object }
    }
    propertiesOfEntities[position] = properties
    return properties
  }

  /// Whether a property in a cache is a copy of the inherited one rather than an override: whether the two are equal in
  /// the settings that determine version hashes.
  private func isCopy(
    _ fields: PropertyFields, _ type: ArchivedModelClass, of original: Int
  ) -> Bool {
    guard let others = try? reader.propertyFields(original),
      let otherType = try? reader.type(of: others)
    else { return true }
    if otherType.kind == .propertyProxy { return true }
    guard type.kind == otherType.kind else { return false }
    for key in Self.tellingNumbers {
      let number = fields[key].flatMap { try? reader.integer($0, of: fields.number) }
      let other = others[key].flatMap { try? reader.integer($0, of: original) }
      if number != other { return false }
    }
    for key in Self.tellingTexts {
      let text = fields[key].flatMap { try? reader.string($0, of: fields.number) }
      let other = others[key].flatMap { try? reader.string($0, of: original) }
      if text != other { return false }
    }
    return true
  }

  private static let tellingNumbers: [ModelKey] = [
    .flagWord, .attributeType, .flags, .maxCount, .minCount, .deleteRule,
  ]
  private static let tellingTexts: [ModelKey] = [
    .versionHashModifier, .renamingIdentifier, .valueClassName, .valueTransformerName,
    .destinationEntityName, .inverseRelationshipName,
  ]

  private func linkInverses() throws(ArchiveError) {
    for (number, inverseNumber) in inverses where !instances.areMutual(number, inverseNumber) {
      // Relationships outside entities, such as elements of composites, are skipped.
      guard let relationship = instances.relationship(number) else { continue }
      if let inverse = instances.relationship(inverseNumber) {
        relationship.storedInverse = inverse
      } else if let copy = inheritedCopies[inverseNumber] {
        // A store's cache refers to the subentity's copy of an inherited relationship.
        let entity = model.entity(named: copy.entity)
        relationship.storedInverse =
          entity?.property(named: copy.name) as? NSRelationshipDescription
      } else {
        throw ArchiveError(
          .invalidContent,
          "the inverse of '\(relationship.storedName)', object \(inverseNumber), is not a"
            + " relationship of the model's",
          object: inverseNumber, key: ModelKey.inverseRelationship.text)
      }
    }
    // From here on nothing can fail, so pairs are always linked at both ends.
    for (number, inverseNumber) in inverses where instances.areMutual(number, inverseNumber) {
      instances.linkMutually(number, inverseNumber)
    }
  }

  // MARK: Unknown content

  /// The names of a class, for messages and for preserving it.
  func described(_ type: ArchivedModelClass) -> ArchiveClass {
    archive.describedClass(at: type.reference) ?? ArchiveClass(chain: [])
  }

  func unknownField(_ field: ArchiveFieldReader.Field) -> PreservedContent.Field {
    PreservedContent.Field(
      key: archive.list.string(at: field.keyObject) ?? "", value: field.value)
  }

  func preserved(
    _ fields: [PreservedContent.Field], _ type: ArchivedModelClass,
    defaultValue: ArchiveFoundationValue? = nil
  ) -> PreservedContent? {
    guard !fields.isEmpty || !type.isKnownItself || defaultValue != nil else { return nil }
    return PreservedContent(
      source: source, fields: fields,
      archivedClass: type.isKnownItself ? nil : described(type), defaultValue: defaultValue)
  }

  var source: PreservedArchive {
    if let preservedArchive { return preservedArchive }
    let made = PreservedArchive(archive)
    preservedArchive = made
    return made
  }

  private func finishPreserving() {
    guard let preservedArchive else { return }
    var known: [Int: PreservedArchive.Known] = [root: .model]
    for (number, name, _) in entities { known[number] = .entity(name) }
    instances.forEachProperty { number, property in
      if let entity = property.owner?.storedName {
        known[number] = .property(property.storedName, of: entity)
      }
    }
    preservedArchive.setKnown(known)
  }
}
