import DataModels

/// Computes a model's schema: first the entity numbers, then each entity's own columns, then what the other sides of
/// its relationships add.
final class SchemaBuilder {
  private(set) var entities: [SchemaEntity] = []
  private(set) var tables: [SchemaTable] = []
  private(set) var joinTables: [JoinTable] = []
  private(set) var numbers: [String: Int] = [:]

  let version: FrameworkVersion
  private let model: NSManagedObjectModel

  /// The hierarchies, by the root entity's number, in which the order matters in which relationships are visited.
  private var orderedRoots: Set<Int> = []
  /// The names that determine the visiting order of each entity's relationships, by entity number − 1; empty in
  /// hierarchies in which it doesn't matter.
  private var hashTables: [HashOrder.GrowingTable] = []
  /// The columns of each root entity's table, by its number, as they are collected.
  private var columns: [Int: [SchemaColumn]] = [:]
  /// The number of requests for each column name, by the root entity's number.
  private var namePools: [Int: [String: Int]] = [:]
  /// The order columns of each entity and its ancestors, by entity number − 1.
  private var orderColumns: [Set<String>] = []
  /// The order columns of to-one relationships with an ordered inverse, by "number.relationship".
  private var orderNames: [String: String] = [:]

  init(model: NSManagedObjectModel, version: FrameworkVersion) {
    self.model = model
    self.version = version
  }

  func build() throws(SchemaError) {
    numberEntities()
    for entity in entities where requestsNames(entity.description) {
      orderedRoots.insert(entity.rootNumber)
    }
    for index in entities.indices { try layOutOwnProperties(of: index) }
    try layOutRelationships()
    passDownToManys()
    for entity in entities where entity.parentNumber == 0 { finishTable(of: entity) }
    try checkNames()
  }

  /// Refuses names that would be more than a name in a statement: the model may come from a store that nobody trusts.
  private func checkNames() throws(SchemaError) {
    for entity in entities where !SchemaNames.isPlain(entity.name) {
      throw SchemaError(
        entity: entity.name, property: nil,
        problem: "a name of a table may have letters, digits, '_' and '$' alone")
    }
    for table in tables {
      for column in table.columns where !SchemaNames.isPlain(column.name) {
        throw SchemaError(
          entity: table.name, property: nil,
          problem:
            "'\(column.name)': a name of a column may have letters, digits, '_' and '$' alone")
      }
    }
    for join in joinTables where !SchemaNames.isPlain(join.name) {
      throw SchemaError(
        entity: join.name, property: nil,
        problem: "a name of a relationship may have letters, digits, '_' and '$' alone")
    }
  }

  // MARK: Numbers

  private func numberEntities() {
    let roots = SchemaNames.inOrder(model.entities.filter { $0.superentity == nil }) {
      $0.name ?? ""
    }
    // Depth-first with a stack of its own: a hierarchy's depth is the model's to choose. A nil
    // entity closes the one at `index`.
    var pending: [(entity: NSEntityDescription?, parent: Int, root: Int, index: Int)] =
      roots.reversed().map { ($0, 0, 0, 0) }
    while let next = pending.popLast() {
      guard let description = next.entity else {
        entities[next.index].lastNumber = entities.count
        continue
      }
      let number = entities.count + 1
      let root = next.root == 0 ? number : next.root
      let table =
        next.root == 0 ? "Z" + (description.name ?? "").uppercased() : entities[root - 1].table
      numbers[description.name ?? ""] = number
      entities.append(
        SchemaEntity(
          number: number, lastNumber: number, parentNumber: next.parent, rootNumber: root,
          description: description, table: table))
      pending.append((nil, 0, 0, number - 1))
      for child in SchemaNames.inOrder(description.subentities, { $0.name ?? "" }).reversed() {
        pending.append((child, number, root, 0))
      }
    }
    hashTables = Array(repeating: HashOrder.GrowingTable(), count: entities.count)
    orderColumns = Array(repeating: [], count: entities.count)
  }

  // MARK: Names

  /// Whether an entity's own relationships need names of their own for a join table, hidden columns or positions: these
  /// depend on the order in which relationships are visited.
  private func requestsNames(_ entity: NSEntityDescription) -> Bool {
    entity.ownProperties.contains { property in
      guard let relationship = property as? NSRelationshipDescription, !relationship.isTransient
      else { return false }
      guard let inverse = relationship.inverseRelationship else { return relationship.isToMany }
      return inverse.isToMany && (relationship.isToMany || inverse.isOrdered)
    }
  }

  private func orderMatters(at index: Int) -> Bool {
    orderedRoots.contains(entities[index].rootNumber)
  }

  /// A unique column name in the hierarchy of `root`.
  private func uniqueName(_ base: String, root: Int) -> String {
    guard let used = namePools[root, default: [:]][base] else {
      namePools[root, default: [:]][base] = 0
      return base
    }
    var suffix = used + 1
    while namePools[root]?[base + String(suffix)] != nil { suffix += 1 }
    namePools[root]?[base] = suffix
    namePools[root]?[base + String(suffix)] = 0
    return base + String(suffix)
  }

  private func addColumn(
    _ base: String, _ content: SchemaColumn.Content, to index: Int, type: NSAttributeType? = nil
  ) -> String {
    let root = entities[index].rootNumber
    let name = uniqueName(base, root: root)
    addColumn(named: name, content, to: index, type: type)
    return name
  }

  private func addColumn(
    named name: String, _ content: SchemaColumn.Content, to index: Int,
    type: NSAttributeType? = nil
  ) {
    columns[entities[index].rootNumber, default: []].append(
      SchemaColumn(name: name, content: content, entityNumber: index + 1, type: type))
  }

  // MARK: An entity's own columns

  private func layOutOwnProperties(of index: Int) throws(SchemaError) {
    let description = entities[index].description
    if entities[index].parentNumber == 0 {
      addColumn(named: "Z_PK", .primaryKey, to: index)
      addColumn(named: "Z_ENT", .entityNumber, to: index)
      addColumn(named: "Z_OPT", .version, to: index)
      if orderMatters(at: index) {
        for key in ["_ent", "_pk", "_opt"] { hashTables[index].insert(key) }
      }
    } else {
      let parent = entities[index].parentNumber - 1
      entities[index].attributes = entities[parent].attributes
      entities[index].toOnes = entities[parent].toOnes
      for key in hashTables[parent].names { hashTables[index].insert(key) }
    }
    let inherited = description.superentity?.propertiesByName ?? [:]
    let all = Self.inOrder(description.properties)
    let attributes = all.compactMap { $0 as? NSAttributeDescription }
    let relationships = all.compactMap { $0 as? NSRelationshipDescription }
    let ownAttributes = attributes.filter { !$0.isTransient && inherited[$0.name] == nil }
    let ownRelationships = relationships.filter { !$0.isTransient && inherited[$0.name] == nil }
    for attribute in ownAttributes {
      if let composite = attribute as? NSCompositeAttributeDescription {
        layOutElements(of: composite, at: index)
      } else {
        entities[index].attributes[attribute.name] = addColumn(
          "Z" + SchemaNames.attributeCapitals(attribute.name), .attribute(path: attribute.name),
          to: index, type: attribute.attributeType)
      }
    }
    for relationship in ownRelationships where !relationship.isToMany {
      try layOutToOne(relationship, at: index)
    }
    guard orderMatters(at: index) else { return }
    insertHashKeys(
      of: index, attributes: attributes, own: Set(ownAttributes.map(\.name)),
      relationships: relationships,
      own: Dictionary(
        ownRelationships.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }))
  }

  /// Properties sorted by name; of several with one name, the first.
  private static func inOrder(_ properties: [NSPropertyDescription]) -> [NSPropertyDescription] {
    // Compilers write them sorted.
    var sorted = properties
    sorted.sort { NameOrder.precedes($0.name, $1.name) }
    var distinct: [NSPropertyDescription] = []
    distinct.reserveCapacity(sorted.count)
    for property in sorted where property.name != distinct.last?.name { distinct.append(property) }
    return distinct
  }

  private func layOutElements(of composite: NSCompositeAttributeDescription, at index: Int) {
    var pending: [(path: String, element: NSAttributeDescription)] = composite.elements.reversed()
      .map { (composite.name, $0) }
    while let (path, element) = pending.popLast() {
      let path = "\(path).\(element.name)"
      if let nested = element as? NSCompositeAttributeDescription {
        pending += nested.elements.reversed().map { (path, $0) }
        continue
      }
      entities[index].attributes[path] = addColumn(
        "Z" + SchemaNames.attributeCapitals(element.name), .attribute(path: path), to: index,
        type: element.attributeType)
      hashTables[index].insert(path)
    }
  }

  private func layOutToOne(
    _ relationship: NSRelationshipDescription, at index: Int
  ) throws(SchemaError) {
    let destination = try number(ofDestinationOf: relationship, in: index)
    let capitals = relationship.name.uppercased()
    let key = addColumn(
      "Z" + capitals, .foreignKey(relationship: relationship.name), to: index)
    let targetEntity =
      entities[destination - 1].hasSubentities
      ? addColumn(
        "Z\(destination)_\(capitals)", .targetEntity(relationship: relationship.name), to: index)
      : nil
    entities[index].toOnes[relationship.name] = SchemaEntity.ToOne(
      key: key, targetEntity: targetEntity, destination: destination)
  }

  private func number(
    ofDestinationOf relationship: NSRelationshipDescription, in index: Int
  ) throws(SchemaError) -> Int {
    guard let number = relationship.destinationEntity?.name.flatMap({ numbers[$0] }) else {
      throw SchemaError(
        entity: entities[index].name, property: relationship.name,
        problem: "the relationship's destination is not an entity of this model")
    }
    return number
  }

  /// Adds an entity's own names to its hash table: attributes in the order of a table of all attribute names, then
  /// relationships likewise, each after the keys of its columns.
  private func insertHashKeys(
    of index: Int, attributes: [NSAttributeDescription], own ownAttributes: Set<String>,
    relationships: [NSRelationshipDescription],
    own ownRelationships: [String: NSRelationshipDescription]
  ) {
    var order = HashOrder.GrowingTable()
    for attribute in attributes { order.insert(attribute.name) }
    for name in order.names where ownAttributes.contains(name) { hashTables[index].insert(name) }
    order = HashOrder.GrowingTable()
    for relationship in relationships { order.insert(relationship.name) }
    for name in order.names where ownRelationships[name] != nil {
      if let toOne = entities[index].toOnes[name] {
        hashTables[index].insert("_" + toOne.key)
        if let entityKey = toOne.targetEntity { hashTables[index].insert("_" + entityKey) }
      }
      hashTables[index].insert(name)
    }
  }

  // MARK: Relationships

  /// The entity that declares a property: the topmost one that has it.
  private func owner(of property: String, from index: Int) -> Int {
    var index = index
    while entities[index].parentNumber != 0 {
      let parent = entities[index].parentNumber - 1
      guard entities[parent].description.propertiesByName[property] != nil else { break }
      index = parent
    }
    return index
  }

  private func layOutRelationships() throws(SchemaError) {
    let visited = SchemaNames.inOrder(Array(entities.indices)) { entities[$0].name }
    for index in visited {
      let relationships = entities[index].description.relationshipsByName
      let names =
        orderMatters(at: index)
        ? HashOrder.primeTableOrder(hashTables[index].names)
        : entities[index].description.properties.map(\.name)
      for name in names {
        guard let relationship = relationships[name], !relationship.isTransient else { continue }
        let owner = owner(of: name, from: index)
        if relationship.isToMany {
          try layOutToMany(relationship, owner: owner)
        } else {
          layOutOrderKey(relationship, at: index, owner: owner)
        }
      }
    }
  }

  private func layOutOrderKey(
    _ relationship: NSRelationshipDescription, at index: Int, owner: Int
  ) {
    guard let inverse = relationship.inverseRelationship, inverse.isToMany, inverse.isOrdered
    else { return }
    let place = "\(owner).\(relationship.name)"
    let name =
      orderNames[place]
      ?? uniqueName(
        "Z_FOK_" + relationship.name.uppercased(), root: entities[owner].rootNumber)
    orderNames[place] = name
    for entity in index..<entities[index].lastNumber
    where orderColumns[entity].insert(name).inserted {
      hashTables[entity].insert("_" + name)
      if entity == owner {
        addColumn(named: name, .orderKey(relationship: relationship.name), to: owner)
      }
    }
  }

  private func layOutToMany(
    _ relationship: NSRelationshipDescription, owner: Int
  ) throws(SchemaError) {
    guard entities[owner].toManys[relationship.name] == nil else { return }
    let destination = try number(ofDestinationOf: relationship, in: owner)
    guard let inverse = relationship.inverseRelationship else {
      entities[owner].toManys[relationship.name] = layOutHiddenToOne(
        relationship, owner: owner, destination: destination)
      return
    }
    guard inverse.isToMany else {
      // The inverse's columns; its order column may not be known until everything has been visited.
      guard let columns = entities[destination - 1].toOnes[inverse.name] else {
        throw SchemaError(
          entity: entities[owner].name, property: relationship.name,
          problem: "the inverse, '\(inverse.name)', is not stored in '\(destination)'")
      }
      entities[owner].toManys[relationship.name] = .key(
        columns.key, targetEntity: columns.targetEntity, order: nil, destination: destination)
      return
    }
    layOutJoinTable(
      relationship, owner: owner, inverse: inverse,
      inverseOwner: self.owner(of: inverse.name, from: destination - 1), destination: destination)
  }

  /// Stores a to-many relationship without an inverse in hidden columns of the destination's table, which belong to
  /// no property of the destination.
  private func layOutHiddenToOne(
    _ relationship: NSRelationshipDescription, owner: Int, destination: Int
  ) -> SchemaEntity.ToMany {
    let stem = "\(owner + 1)\(relationship.name.uppercased())"
    let target = destination - 1
    let key = addColumn("Z" + stem, .foreignKey(relationship: stem), to: target)
    let targetEntity =
      entities[owner].hasSubentities
      ? addColumn("Z\(owner + 1)_\(stem)", .targetEntity(relationship: stem), to: target) : nil
    let order =
      relationship.isOrdered
      ? addColumn("Z_FOK_\(stem)", .orderKey(relationship: stem), to: target) : nil
    for entity in target..<entities[target].lastNumber where orderMatters(at: target) {
      hashTables[entity].insert("_" + key)
      if let targetEntity { hashTables[entity].insert("_" + targetEntity) }
      hashTables[entity].insert("\(owner + 1)\(relationship.name)")
      if let order { hashTables[entity].insert("_" + order) }
    }
    return .key(key, targetEntity: targetEntity, order: order, destination: destination)
  }

  private func layOutJoinTable(
    _ relationship: NSRelationshipDescription, owner: Int,
    inverse: NSRelationshipDescription, inverseOwner: Int, destination: Int
  ) {
    let (ownerRoot, inverseRoot) = (entities[owner].rootNumber, entities[inverseOwner].rootNumber)
    let ownerStem = "\(owner + 1)\(inverse.name.uppercased())"
    let inverseStem = "\(inverseOwner + 1)\(relationship.name.uppercased())"
    let isReflexive = owner == inverseOwner && relationship.name == inverse.name
    let ownerKey = uniqueName("Z_" + ownerStem, root: ownerRoot)
    let ownerOrder =
      inverse.isOrdered ? uniqueName("Z_FOK_" + ownerStem, root: ownerRoot) : nil
    let inverseKey = isReflexive ? "REFLEXIVE" : uniqueName("Z_" + inverseStem, root: inverseRoot)
    let inverseOrder: String? =
      if !relationship.isOrdered { nil } else if isReflexive { "Z_FOK_REFLEXIVE" } else {
        uniqueName("Z_FOK_" + inverseStem, root: inverseRoot)
      }
    let position = joinTables.count
    joinTables.append(
      JoinTable(
        name: JoinTable.name(of: relationship.name, ownerNumber: owner + 1), ownerNumber: owner + 1,
        relationship: relationship.name, inverseOwnerNumber: inverseOwner + 1,
        inverse: inverse.name, ownerKey: ownerKey, inverseKey: inverseKey,
        ownerOrder: ownerOrder, inverseOrder: inverseOrder,
        indexesOrder: relationship.isOrdered
          && SchemaOptions.isOn(
            relationship.userInfo?["NSRelationshipDescriptionOrderKeyIndexOption"])
      ))
    entities[owner].toManys[relationship.name] = .join(
      position, isOwner: true, destination: destination)
    if !isReflexive {
      let back =
        inverse.destinationEntity?.name.flatMap { numbers[$0] } ?? owner + 1
      entities[inverseOwner].toManys[inverse.name] = .join(
        position, isOwner: false, destination: back)
    }
  }

  /// Completes to-many relationships with their order columns, and passes them on to subentities.
  private func passDownToManys() {
    for index in entities.indices {
      for (name, storage) in entities[index].toManys {
        guard case .key(let key, let targetEntity, nil, let destination) = storage,
          let relationship = entities[index].description.relationshipsByName[name],
          let inverse = relationship.inverseRelationship
        else { continue }
        let place = "\(owner(of: inverse.name, from: destination - 1)).\(inverse.name)"
        entities[index].toManys[name] = .key(
          key, targetEntity: targetEntity, order: orderNames[place], destination: destination)
      }
      guard entities[index].parentNumber != 0 else { continue }
      entities[index].toManys.merge(entities[entities[index].parentNumber - 1].toManys) {
        own, _ in own
      }
    }
  }

  // MARK: Tables

  private func finishTable(of root: SchemaEntity) {
    let sorted = (columns[root.number] ?? []).enumerated().sorted {
      ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset)
    }
    var uniques: [[String]] = []
    if !version.hasUniqueIndexes {
      for entity in entities[root.number - 1..<root.lastNumber] {
        for constraint in entity.ownUniquenessConstraints {
          let names = constraint.map { entity.column(of: $0) }
          if !names.contains(nil) { uniques.append(names.compactMap { $0 }) }
        }
      }
    }
    tables.append(
      SchemaTable(
        name: root.table, rootNumber: root.number, columns: sorted.map(\.element),
        inlineUniques: uniques))
  }
}
