import Foundation
import KeyedArchive
import ManagedModel
import OrderedCollections
import PredicateFormat

/// Gives the fields of a model's objects to the assembler, as momc does.
///
/// Entities and properties have identities from the start, since everything refers to them; what
/// only one object refers to (dictionaries, predicates, indexes) gets its own on the way.
final class ModelEncoder: ArchiveSource {
  typealias Assembler = ArchiveAssembler
  typealias Identity = ArchiveIdentity
  typealias Item = ModelItem
  typealias Element = ModelItem.Element

  let model: NSManagedObjectModel
  let stamp: CompilerStamp?
  let vintage: CompilerVintage
  let order: ModelOrder
  /// The model's entities in the order of their dictionary.
  let entities: [NSEntityDescription]
  let names: [String]
  private(set) var entityPositions: [ObjectIdentifier: Int] = [:]
  /// Each entity's subentities in the order of their dictionary.
  private(set) var children: [[Int]]
  /// Each entity's own properties, in the order of their dictionary, once it was asked for.
  private var ownProperties: [[NSPropertyDescription]?]

  private var items: [Item] = []
  private(set) var modelIdentity: Identity?
  private(set) var entityIdentities: [Identity] = []
  private var propertyIdentities: [ObjectIdentifier: Identity] = [:]
  /// The empty user info that all entities without one share.
  private var emptyDictionary: Identity?
  private var selfExpression: Identity?
  private var foreignIdentities: [ForeignKey: Identity] = [:]
  let classes = ModelClasses()
  /// Whether a mapping model is encoded, whose texts are objects of their own.
  var encodesMapping = false

  private struct ForeignKey: Hashable {
    var archive: ObjectIdentifier
    var number: Int
  }

  init(_ model: NSManagedObjectModel, options: ModelArchiveOptions) throws(ArchiveError) {
    self.model = model
    stamp =
      switch options.stamp {
      case .kept: model.compilerStamp
      case .omitted: nil
      case .stamp(let stamp): stamp
      }
    vintage =
      switch options.vintage {
      // A stamp is of its own time.
      case .kept: stamp == nil ? model.compilerVintage ?? .modern : .modern
      case .vintage(let vintage): vintage
      }
    order = ModelOrder(style: vintage.archiveStyle, copiesMembers: vintage.copiesMembers)
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
        .invalidContent, "there are two entities called \"\(twice.first ?? "")\"; rename one")
    }
    let positions = order.entities(names)
    entities = positions.map { model.storedEntities[$0] }
    self.names = positions.map { names[$0] }
    ownProperties = Array(repeating: nil, count: entities.count)
    children = Array(repeating: [], count: entities.count)
    for (position, entity) in entities.enumerated() {
      entityPositions[ObjectIdentifier(entity)] = position
    }
    try orderChildren()
  }

  private func orderChildren() throws(ArchiveError) {
    let below = entities.indices.filter { entities[$0].storedSuperentity != nil }
    for position in order.children(below.map { names[$0] }).map({ below[$0] }) {
      guard let parent = entities[position].storedSuperentity,
        let parentPosition = entityPositions[ObjectIdentifier(parent)]
      else {
        throw ArchiveError(
          .invalidContent, "the superentity of \"\(names[position])\" is not in the model")
      }
      children[parentPosition].append(position)
    }
    for (position, members) in children.enumerated() where members.count > 1 {
      children[position] = order.subentities(members.map { names[$0] }).map { members[$0] }
    }
  }

  /// The model's archive.
  func encode() throws(ArchiveError) -> [UInt8] {
    var assembler = Assembler(keys: ModelKey.allCases.map(\.text), style: order.style)
    let identity = assembler.newIdentity()
    modelIdentity = identity
    entityIdentities = entities.map { _ in assembler.newIdentity() }
    let number = try assembler.encode(register(.model), identity, asking: self)
    return assembler.finish(top: [("root", number)]).binary()
  }

  // MARK: Identities

  func identity(of entity: NSEntityDescription?) -> Identity? {
    entity.flatMap { entityPositions[ObjectIdentifier($0)] }.map { entityIdentities[$0] }
  }

  func identity(of property: NSPropertyDescription, _ assembler: inout Assembler) -> Identity {
    let id = ObjectIdentifier(property)
    if let known = propertyIdentities[id] { return known }
    let identity = assembler.newIdentity()
    propertyIdentities[id] = identity
    return identity
  }

  func foreignIdentity(
    _ archive: PreservedArchive, _ number: Int, _ assembler: inout Assembler
  ) -> Identity {
    let key = ForeignKey(archive: ObjectIdentifier(archive), number: number)
    if let known = foreignIdentities[key] { return known }
    let identity = assembler.newIdentity()
    foreignIdentities[key] = identity
    return identity
  }

  func emptyDictionary(_ assembler: inout Assembler) -> Identity {
    if let emptyDictionary { return emptyDictionary }
    let identity = assembler.newIdentity()
    emptyDictionary = identity
    return identity
  }

  func selfIdentity(_ assembler: inout Assembler) -> Identity {
    if let selfExpression { return selfExpression }
    let identity = assembler.newIdentity()
    selfExpression = identity
    return identity
  }

  /// An entity's own properties in the order of their dictionary.
  func properties(ofEntity position: Int) -> [NSPropertyDescription] {
    if let known = ownProperties[position] { return known }
    let own = entities[position].ownPropertyList
    let ordered = order.properties(own).map { own[$0] }
    ownProperties[position] = ordered
    return ordered
  }

  // MARK: Objects

  /// The item under which the assembler asks for an object's fields later.
  func register(_ item: Item) -> ArchiveItem {
    if case .foundation(let value) = item { return .foundation(value) }
    items.append(item)
    return .number(items.count - 1)
  }

  func encode(
    _ item: ArchiveItem, into assembler: inout Assembler
  ) throws(ArchiveError) -> Int {
    guard case .number(let number) = item else { return 0 }
    switch items[number] {
    case .model: return try encodeModel(into: &assembler)
    case .entities:
      putEntries(
        entities.indices.map { (names[$0], .item(.entity($0), entityIdentities[$0])) }, &assembler)
      return classes.mutableDictionary(&assembler)
    case .entity(let position): return try encodeEntity(position, into: &assembler)
    case .subentities(let position):
      putEntries(
        children[position].map { (names[$0], .item(.entity($0), entityIdentities[$0])) },
        &assembler)
      return classes.mutableDictionary(&assembler)
    case .properties(let position):
      let properties = properties(ofEntity: position)
      try checkNames(of: properties, position)
      putEntries(
        properties.map {
          (
            $0.storedName,
            .item(.property($0, entity: position), identity(of: $0, &assembler))
          )
        }, &assembler)
      return classes.mutableDictionary(&assembler)
    case .property(let property, let entity):
      return try encode(property, entity: entity, into: &assembler)
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
      putEntries(entries, &assembler)
      return isMutable ? classes.mutableDictionary(&assembler) : classes.dictionary(&assembler)
    case .array(let elements, let isMutable):
      putList(.collectionObjects, elements, &assembler)
      return isMutable ? classes.mutableArray(&assembler) : classes.array(&assembler)
    case .set(let elements):
      putList(.collectionObjects, elements, &assembler)
      return classes.set(&assembler)
    case .foundation(let value): return assembler.putFields(of: value)
    case .mapping(let item): return try encode(item, into: &assembler)
    case .foreign(let archive, let number):
      return encodeForeign(archive, number, into: &assembler)
    }
  }

  private func encodeModel(into assembler: inout Assembler) throws(ArchiveError) -> Int {
    putObject(ModelKey.entities.id, .entities, &assembler)
    if !model.storedConfigurations.isEmpty {
      putObject(ModelKey.configurations.id, configurations(), &assembler)
    }
    if model.storedTemplates.isEmpty {
      assembler.putNil(ModelKey.fetchRequestTemplates.id)
    } else {
      let templates = Array(model.storedTemplates)
      let positions = order.entities(templates.map(\.key))
      putObject(
        ModelKey.fetchRequestTemplates.id,
        .dictionary(
          positions.map { (templates[$0].key, .item(.fetchRequest(templates[$0].value), nil)) },
          isMutable: true), &assembler)
    }
    var identifiers: [Element] = []
    for identifier in model.storedVersionIdentifiers {
      guard let value = ArchiveFoundationValue(identifier.base) else {
        throw ArchiveError(
          .invalidContent, "a version identifier is neither text nor number: \(identifier)")
      }
      identifiers.append(element(value, &assembler))
    }
    putObject(ModelKey.versionIdentifiers.id, .set(identifiers), &assembler)
    if let stamp {
      assembler.put(ModelKey.compilerToolVersion.id, double: stamp.toolVersion)
      assembler.put(ModelKey.compilerXcodeVersion.id, int32: stamp.xcodeVersion)
    }
    return putPreserved(model.preserved, class: classes.model(&assembler), &assembler)
  }

  private func configurations() -> Item {
    let named = Array(model.storedConfigurations)
    let positions = order.entities(named.map(\.key))
    return .dictionary(
      positions.map { position in
        let members = named[position].value
          .compactMap { entityPositions[ObjectIdentifier($0)] }
          .sorted { names[$0] < names[$1] }
        return (
          named[position].key,
          .item(.set(members.map { .item(.entity($0), entityIdentities[$0]) }), nil)
        )
      }, isMutable: true)
  }

  private func checkNames(
    of properties: [NSPropertyDescription], _ position: Int
  ) throws(ArchiveError) {
    var seen = Set<String>(minimumCapacity: properties.count)
    for property in properties {
      guard !property.storedName.isEmpty, seen.insert(property.storedName).inserted else {
        throw ArchiveError(
          .invalidContent,
          property.storedName.isEmpty
            ? "a property of \"\(names[position])\" has no name; give it one"
            : "\"\(names[position])\" has two properties called \"\(property.storedName)\"")
      }
    }
  }
}
