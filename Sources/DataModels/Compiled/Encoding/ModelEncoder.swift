import Foundation
import OrderedCollections
import PredicateFormat
import PropertyLists

/// Provides the assembler with the fields of a model's objects, as momc encodes them.
///
/// Entities and properties have identities from the start, since everything refers to them. Objects with only one
/// reference (dictionaries, predicates, indexes) get theirs during encoding.
final class ModelEncoder: ArchiveSource {
  typealias Assembler = ArchiveAssembler
  typealias Identity = ArchiveIdentity
  typealias Item = ModelItem
  typealias Element = ModelItem.Element

  let model: NSManagedObjectModel
  let stamp: CompilerStamp?
  let vintage: CompilerVintage
  let form: ModelArchiveOptions.Form
  let order: MomcDictionaryOrder
  /// The model's entities in dictionary order.
  let entities: [NSEntityDescription]
  let names: [String]
  let entityPositions: PositionTable
  /// Each entity's subentities in dictionary order.
  private(set) var children: [[Int]]
  /// The own properties of all entities, grouped by entity, in dictionary order.
  let properties: PropertyTable

  @exclusivity(unchecked) private var items: [Item] = []
  @exclusivity(unchecked) private(set) var modelIdentity: Identity?
  @exclusivity(unchecked) private var firstEntityIdentity: Identity?
  @exclusivity(unchecked) private(set) var firstPropertyIdentity: Identity?
  private var strayIdentities: [ObjectIdentifier: Identity] = [:]
  /// The empty user info shared by all entities without one.
  private var emptyDictionary: Identity?
  private var selfExpression: Identity?
  private var foreignIdentities: [ForeignKey: Identity] = [:]
  /// In a store's cache, the property whose fields are being encoded. Its copies in subentities share the same objects.
  @exclusivity(unchecked) var sharingProperty: NSPropertyDescription?
  private var sharedIdentities: [SharedKey: Identity] = [:]
  let classes = ModelClasses()
  @exclusivity(unchecked) var leaves: NameLeaves
  /// Whether a mapping model is being encoded, whose strings are not shared.
  var encodesMapping = false

  private struct SharedKey: Hashable {
    var property: ObjectIdentifier
    var key: Int
  }

  private struct ForeignKey: Hashable {
    var archive: ObjectIdentifier
    var number: Int
  }

  init(_ model: NSManagedObjectModel, options: ModelArchiveOptions) throws(ArchiveError) {
    self.model = model
    form = options.form
    stamp =
      switch options.form == .cache ? .omitted : options.stamp {
      case .kept: model.compilerStamp
      case .omitted: nil
      case .stamp(let stamp): stamp
      }
    vintage =
      switch options.form == .cache ? .vintage(.modern) : options.vintage {
      // An archive with a stamp has the vintage of the stamp.
      case .kept: stamp == nil ? model.compilerVintage ?? .modern : .modern
      case .vintage(let vintage): vintage
      }
    order = MomcDictionaryOrder(style: vintage.archiveStyle, copiesMembers: vintage.copiesMembers)
    var names: [String] = []
    for entity in model.storedEntities {
      guard let name = entity.storedName, !name.isEmpty else {
        throw ArchiveError(.invalidContent, "an entity has no name; give it one")
      }
      names.append(name)
    }
    if Set(names).count < names.count {
      let twice = Dictionary(grouping: names) { $0 }.filter { $1.count > 1 }.keys.sorted()
      throw ArchiveError(
        .invalidContent, "there are two entities called '\(twice.first ?? "")'; rename one")
    }
    let positions =
      form == .cache ? MomcDictionaryOrder.cachedEntities(names) : order.entities(names)
    entities = positions.map { model.storedEntities[$0] }
    self.names = positions.map { names[$0] }
    children = Array(repeating: [], count: entities.count)
    properties =
      form == .cache
      ? PropertyTable(listingInheritedOf: entities, order) : PropertyTable(entities, order)
    entityPositions = PositionTable(entities)
    leaves = NameLeaves(entities: entities.count, properties: properties.count)
    try orderChildren()
  }

  private func orderChildren() throws(ArchiveError) {
    let below = entities.indices.filter { entities[$0].storedSuperentity != nil }
    for position in order.children(below.map { names[$0] }).map({ below[$0] }) {
      guard let parent = entities[position].storedSuperentity,
        let parentPosition = entityPositions[parent]
      else {
        throw ArchiveError(
          .invalidContent, "the superentity of '\(names[position])' is not in the model")
      }
      children[parentPosition].append(position)
    }
    for (position, members) in children.enumerated() where members.count > 1 {
      let below = members.map { names[$0] }
      let places =
        form == .cache ? order.cachedSubentities(below) : order.subentities(below)
      children[position] = places.map { members[$0] }
    }
  }

  /// Encodes the model's archive.
  func encode() throws(ArchiveError) -> [UInt8] {
    var assembler = Assembler(keys: ModelKey.table, style: order.style)
    // A property has about 4 objects besides itself, and 14 fields.
    assembler.reserveCapacity(
      objects: properties.count &* 2 &+ entities.count &* 6 &+ 64,
      fields: properties.count &* 18 &+ entities.count &* 64 &+ 256)
    let identity = assembler.newIdentity()
    modelIdentity = identity
    firstEntityIdentity = assembler.newIdentities(entities.count)
    firstPropertyIdentity = assembler.newIdentities(properties.count)
    let number = try assembler.encode(register(.model), identity, asking: self)
    return assembler.finish(top: [("root", number)]).binary()
  }

  // MARK: Identities

  func identity(of entity: NSEntityDescription?) -> Identity? {
    entity.flatMap { entityPositions[$0] }.flatMap(identity(ofEntity:))
  }

  /// The identity of the entity at an index.
  func identity(ofEntity position: Int) -> Identity? {
    firstEntityIdentity?.advanced(by: position)
  }

  func identity(of property: NSPropertyDescription, into assembler: inout Assembler) -> Identity {
    if let first = firstPropertyIdentity,
      let position = properties.position(of: property)
    {
      return first.advanced(by: position)
    }
    return strayIdentities.identity(of: ObjectIdentifier(property), from: &assembler)
  }

  func foreignIdentity(
    _ archive: PreservedArchive, _ number: Int, into assembler: inout Assembler
  ) -> Identity {
    let key = ForeignKey(archive: ObjectIdentifier(archive), number: number)
    return foreignIdentities.identity(of: key, from: &assembler)
  }

  /// The identity of the object that a property and its copies share under a key.
  func sharedIdentity(
    of property: NSPropertyDescription, _ key: Int, into assembler: inout Assembler
  ) -> Identity {
    let shared = SharedKey(property: ObjectIdentifier(property), key: key)
    return sharedIdentities.identity(of: shared, from: &assembler)
  }

  func emptyDictionary(into assembler: inout Assembler) -> Identity {
    if let emptyDictionary { return emptyDictionary }
    let identity = assembler.newIdentity()
    emptyDictionary = identity
    return identity
  }

  func selfIdentity(into assembler: inout Assembler) -> Identity {
    if let selfExpression { return selfExpression }
    let identity = assembler.newIdentity()
    selfExpression = identity
    return identity
  }

  // MARK: Objects

  /// The kinds of items, stored in the low bits of item numbers. The most frequent objects need no entry in the list of
  /// items.
  private enum ItemKind: Int {
    case listed, entity, properties, property
  }

  private static func number(_ kind: ItemKind, _ index: Int) -> ArchiveItem {
    .number(index << 2 | kind.rawValue)
  }

  /// Registers an item, for which the assembler will later request the fields.
  func register(_ item: Item) -> ArchiveItem {
    switch item {
    case .foundation(let value): return .foundation(value)
    case .entity(let position): return Self.number(.entity, position)
    case .properties(let position): return Self.number(.properties, position)
    default:
      items.append(item)
      return Self.number(.listed, items.count - 1)
    }
  }

  func encode(
    _ item: ArchiveItem, into assembler: inout Assembler
  ) throws(ArchiveError) -> Int {
    guard case .number(let number) = item else { return 0 }
    let index = number >> 2
    switch ItemKind(rawValue: number & 3) ?? .listed {
    case .listed: return try encode(items[index], into: &assembler)
    case .entity: return try encodeEntity(index, into: &assembler)
    case .properties: return try encodeProperties(ofEntity: index, into: &assembler)
    case .property:
      if form == .cache { sharingProperty = properties[index] }
      defer { sharingProperty = nil }
      return try encode(
        properties[index], entity: properties.entity(of: index),
        name: nameLeaf(ofProperty: index, into: &assembler), into: &assembler)
    }
  }

  private func encodeProperties(
    ofEntity position: Int, into assembler: inout Assembler
  ) throws(ArchiveError) -> Int {
    let range = properties.range(ofEntity: position)
    try putNames(ofProperties: range, entity: position, into: &assembler)
    assembler.put(ModelKey.collectionObjects.id, listOf: range.count)
    for index in range {
      let number = Self.number(.property, index)
      if let first = firstPropertyIdentity {
        assembler.put(ModelKey.collectionObjects.id, object: number, first.advanced(by: index))
      }
    }
    return classes.mutableDictionary(into: &assembler)
  }

  private func encode(
    _ item: Item, into assembler: inout Assembler
  ) throws(ArchiveError) -> Int {
    switch item {
    case .model: return try encodeModel(into: &assembler)
    case .entities where form == .cache: return encodeCachedEntities(into: &assembler)
    case .cachedNames: return encodeCachedNames(into: &assembler)
    case .entities:
      putEntries(
        entities.indices.map { (names[$0], .item(.entity($0), identity(ofEntity: $0))) },
        into: &assembler)
      return classes.mutableDictionary(into: &assembler)
    case .entity(let position): return try encodeEntity(position, into: &assembler)
    case .subentities(let position):
      putEntries(
        children[position].map { (names[$0], .item(.entity($0), identity(ofEntity: $0))) },
        into: &assembler)
      return classes.mutableDictionary(into: &assembler)
    case .properties(let position):
      return try encodeProperties(ofEntity: position, into: &assembler)
    case .property(let property, let entity):
      let name = assembler.text(property.storedName)
      return try encode(property, entity: entity, name: name, into: &assembler)
    case .fetchRequest(let request): return try encode(request, into: &assembler)
    case .fetchIndex(let index, let entity, let identity):
      return try encode(index, entity: entity, identity, into: &assembler)
    case .indexElement(let element, let index):
      return try encode(element, index: index, into: &assembler)
    case .sortDescriptor(let sort): return encode(sort, into: &assembler)
    case .predicate(let tree): return try encode(tree, into: &assembler)
    case .comparisonOperator(let comparison):
      return encodeOperator(comparison, into: &assembler)
    case .expression(let tree): return try encode(tree, into: &assembler)
    case .keyPathSpecifier(let path):
      return encodeKeyPathSpecifier(path, into: &assembler)
    case .dictionary(let entries, let isMutable):
      putEntries(entries, into: &assembler)
      return isMutable
        ? classes.mutableDictionary(into: &assembler) : classes.dictionary(into: &assembler)
    case .array(let elements, let isMutable):
      putList(.collectionObjects, elements, into: &assembler)
      return isMutable ? classes.mutableArray(into: &assembler) : classes.array(into: &assembler)
    case .set(let elements):
      putList(.collectionObjects, elements, into: &assembler)
      return classes.set(into: &assembler)
    case .foundation(let value): return assembler.putFields(of: value)
    case .mapping(let item): return try encode(item, into: &assembler)
    case .foreign(let archive, let number):
      return encodeForeign(archive, number, into: &assembler)
    }
  }

  private func encodeModel(into assembler: inout Assembler) throws(ArchiveError) -> Int {
    putObject(ModelKey.entities.id, .entities, into: &assembler)
    if !model.storedConfigurations.isEmpty {
      putObject(ModelKey.configurations.id, configurations(), into: &assembler)
    }
    if model.storedTemplates.isEmpty || form == .cache {
      assembler.putNil(ModelKey.fetchRequestTemplates.id)
    } else {
      let templates = Array(model.storedTemplates)
      let positions = order.entities(templates.map(\.key))
      putObject(
        ModelKey.fetchRequestTemplates.id,
        .dictionary(
          positions.map { (templates[$0].key, .item(.fetchRequest(templates[$0].value), nil)) },
          isMutable: true), into: &assembler)
    }
    var identifiers: [Element] = []
    for identifier in model.storedVersionIdentifiers {
      guard let value = ArchiveFoundationValue(identifier.base) else {
        throw ArchiveError(
          .invalidContent, "a version identifier is neither text nor number: \(identifier)")
      }
      identifiers.append(element(value, into: &assembler))
    }
    putObject(ModelKey.versionIdentifiers.id, .set(identifiers), into: &assembler)
    if let stamp {
      assembler.put(ModelKey.compilerToolVersion.id, double: stamp.toolVersion)
      assembler.put(ModelKey.compilerXcodeVersion.id, int32: stamp.xcodeVersion)
    }
    return putPreserved(model.preserved, class: classes.model(into: &assembler), into: &assembler)
  }

  private func configurations() -> Item {
    let named = Array(model.storedConfigurations)
    let positions = order.entities(named.map(\.key))
    return .dictionary(
      positions.map { position in
        let members = named[position].value
          .compactMap { entityPositions[$0] }
          .sorted { names[$0] < names[$1] }
        return (
          named[position].key,
          .item(.set(members.map { .item(.entity($0), identity(ofEntity: $0)) }), nil)
        )
      }, isMutable: true)
  }
}

extension Dictionary where Value == ArchiveIdentity {
  /// The identity for a key, created on first use.
  fileprivate mutating func identity(
    of key: Key, from assembler: inout ArchiveAssembler
  ) -> ArchiveIdentity {
    if let known = self[key] { return known }
    let identity = assembler.newIdentity()
    self[key] = identity
    return identity
  }
}
