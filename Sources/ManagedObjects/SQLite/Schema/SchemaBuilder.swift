import DataModels

/// Computes a model's schema: first the entity numbers, then each entity's own columns, then what the other sides of
/// its relationships add.
final class SchemaBuilder {
  var entities: [SchemaEntity] = []
  private(set) var tables: [SchemaTable] = []
  var joinTables: [JoinTable] = []
  private(set) var numbers: [String: Int] = [:]

  let version: FrameworkVersion
  private let model: NSManagedObjectModel

  /// The hierarchies, by the root entity's number, in which the order matters in which relationships are visited.
  private var orderedRoots: Set<Int> = []
  /// The names that determine the visiting order of each entity's relationships, by entity number − 1; empty in
  /// hierarchies in which it doesn't matter.
  var hashTables: [HashOrder.GrowingTable] = []
  /// The columns of each root entity's table, by its number − 1, as they are collected.
  private var columns: [[SchemaColumn]] = []
  /// The number of requests for each column name, by the root entity's number − 1.
  private var namePools: [[String: Int]] = []
  /// The order columns of each entity and its ancestors, by entity number − 1.
  var orderColumns: [Set<String>] = []
  /// The order columns of to-one relationships with an ordered inverse, by "number.relationship".
  var orderNames: [String: String] = [:]

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
        problem: "a table's name may contain only letters, digits, '_' and '$'")
    }
    for table in tables {
      for column in table.columns where !SchemaNames.isPlain(column.name) {
        throw SchemaError(
          entity: table.name, property: nil,
          problem:
            "'\(column.name)': a column's name may contain only letters, digits, '_' and '$'")
      }
    }
    for join in joinTables where !SchemaNames.isPlain(join.name) {
      throw SchemaError(
        entity: join.name, property: nil,
        problem: "a relationship's name may contain only letters, digits, '_' and '$'")
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
    columns = Array(repeating: [], count: entities.count)
    namePools = Array(repeating: [:], count: entities.count)
    for entity in entities where entity.parentNumber == 0 {
      namePools[entity.number - 1].reserveCapacity(entity.description.ownProperties.count)
    }
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

  func orderMatters(at index: Int) -> Bool {
    orderedRoots.contains(entities[index].rootNumber)
  }

  /// A unique column name in the hierarchy of `root`.
  func uniqueName(_ base: String, root: Int) -> String {
    let pool = root - 1
    guard let used = namePools[pool][base] else {
      namePools[pool][base] = 0
      return base
    }
    var suffix = used + 1
    while namePools[pool][base + String(suffix)] != nil { suffix += 1 }
    namePools[pool][base] = suffix
    namePools[pool][base + String(suffix)] = 0
    return base + String(suffix)
  }

  func addColumn(
    _ base: String, _ content: SchemaColumn.Content, to index: Int, type: NSAttributeType? = nil
  ) -> String {
    let root = entities[index].rootNumber
    let name = uniqueName(base, root: root)
    addColumn(named: name, content, to: index, type: type)
    return name
  }

  func addColumn(
    named name: String, _ content: SchemaColumn.Content, to index: Int,
    type: NSAttributeType? = nil
  ) {
    columns[entities[index].rootNumber - 1].append(
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
    entities[index].attributes.reserveCapacity(
      entities[index].attributes.count + ownAttributes.count)
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

  func number(
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

  // MARK: Tables

  private func finishTable(of root: SchemaEntity) {
    // By rank, and within a rank as they were collected. There are few ranks.
    let collected = columns[root.number - 1]
    var sorted: [SchemaColumn] = []
    sorted.reserveCapacity(collected.count)
    for rank in SchemaColumn.Rank.allCases {
      for column in collected where column.rank == rank { sorted.append(column) }
    }
    var uniques: [[String]] = []
    if !version.hasUniqueIndexes {
      for entity in entities[root.number - 1..<root.lastNumber] {
        uniques += entity.ownUniquenessConstraints.compactMap(entity.columns(ofConstraint:))
      }
    }
    tables.append(
      SchemaTable(
        name: root.table, rootNumber: root.number, columns: sorted, inlineUniques: uniques))
  }
}
