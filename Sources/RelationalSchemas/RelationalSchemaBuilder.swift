import DataModels
import PredicateFormat

/// Builds the tables: first the columns of each hierarchy, then what the other sides of relationships add.
struct RelationalSchemaBuilder {
  private let model: NSManagedObjectModel
  private let entityNames: Set<String>?
  private var schema = RelationalSchema()
  private var tableNames = SQLNames()
  /// The tables' names, by the names of the root entities.
  private var namesByRoot: [String: String] = [:]
  /// The names of each table's columns, by the table's index.
  private var columnNames: [SQLNames] = []
  /// The index of the column of positions beside each column of owners.
  private var positionColumns: [ColumnPlace: Int] = [:]
  /// The join tables created so far, by the relationship that required them.
  private var joins: [ObjectIdentifier: Int] = [:]

  /// A column, by the indexes of its table and its own.
  private struct ColumnPlace: Hashable {
    let table: Int
    let column: Int
  }

  init(model: NSManagedObjectModel, entityNames: Set<String>?) {
    (self.model, self.entityNames) = (model, entityNames)
  }

  mutating func build() -> RelationalSchema {
    let roots = model.entities.filter { $0.superentity == nil }.sorted(by: Self.precedes)
    for root in roots where wanted(root) {
      namesByRoot[root.name ?? ""] = tableNames.take(root.name ?? "")
    }
    for root in roots where wanted(root) { addTable(of: root) }
    let entities = model.entities.sorted(by: Self.precedes)
    for entity in entities { addToManys(of: entity) }
    for entity in entities { inheritToManys(entity) }
    for entity in entities { addConstraints(of: entity) }
    return schema
  }

  private static func precedes(_ left: NSEntityDescription, _ right: NSEntityDescription) -> Bool {
    (left.name ?? "") < (right.name ?? "")
  }

  /// Whether to include rows of the entity or of its subentities.
  private func wanted(_ entity: NSEntityDescription) -> Bool {
    guard let entityNames else { return true }
    var pending = [entity]
    while let next = pending.popLast() {
      if entityNames.contains(next.name ?? "") { return true }
      pending += next.subentities
    }
    return false
  }

  // MARK: Tables and their columns

  private mutating func addTable(of root: NSEntityDescription) {
    let hierarchy = Self.hierarchy(of: root).filter { wanted($0) }
    let concrete = hierarchy.filter { !$0.isAbstract }.compactMap(\.name)
    let hasSeveral = hierarchy.count > 1
    let name = namesByRoot[root.name ?? ""] ?? ""
    schema.tables.append(
      RelationalTable(
        name: name, entityNames: concrete.isEmpty ? hierarchy.compactMap(\.name) : concrete,
        entityType: hasSeveral ? tableNames.take("\(name)_entity") : nil,
        sequence: tableNames.take("\(name)_id_seq")))
    columnNames.append(
      SQLNames(
        taken: [
          RelationalTable.keyColumn, RelationalTable.versionColumn, RelationalTable.entityColumn,
        ], reserved: SQLNames.systemColumns))
    let table = schema.tables.count - 1
    for entity in hierarchy {
      var placed = RelationalEntity(name: entity.name ?? "", table: table)
      placed.rowEntities = Self.hierarchy(of: entity).compactMap(\.name)
        .filter(schema.tables[table].entityNames.contains)
      placed.columns = entity.superentity.flatMap { schema.entities[$0.name ?? ""] }?.columns ?? [:]
      for property in entity.ownProperties.sorted(by: { $0.name < $1.name }) {
        addColumn(of: property, to: &placed, entity)
      }
      schema.entities[placed.name] = placed
    }
  }

  /// Returns an entity and all its subentities, parents first. Iterative, because the depth of a hierarchy is
  /// unlimited.
  private static func hierarchy(of root: NSEntityDescription) -> [NSEntityDescription] {
    var found: [NSEntityDescription] = []
    var pending = [root]
    while let next = pending.popLast() {
      found.append(next)
      pending += next.subentities.sorted(by: precedes).reversed()
    }
    return found
  }

  private mutating func addColumn(
    of property: NSPropertyDescription, to placed: inout RelationalEntity,
    _ entity: NSEntityDescription
  ) {
    guard !property.isTransient else { return }
    let table = placed.table
    let type: RelationalType
    var kind = RelationalColumn.Kind.attribute
    var isRequired = !property.isOptional
    switch property {
    case let attribute as NSAttributeDescription:
      guard let known = RelationalType(attribute.attributeType) else { return }
      type = known
    case let relationship as NSRelationshipDescription where !relationship.isToMany:
      guard let destination = relationship.destinationEntity, wanted(destination) else { return }
      type = .int64
      // If Core Data deletes a destination without regard to these objects, their column is cleared.
      let isGuarded =
        relationship.inverseRelationship.map { $0.deleteRule != .noActionDeleteRule } ?? false
      isRequired = isRequired && isGuarded
      let root = destination.ancestry.last ?? destination
      kind = .toOne(table: namesByRoot[root.name ?? ""] ?? "", isKeptOnDelete: isRequired)
    default: return
    }
    if let inherited = placed.columns[property.name],
      schema.tables[table].columns[inherited].type == type
    {
      return
    }
    let name = columnNames[table].take(
      property.name, otherwise: "\(property.name)_\(entity.name ?? "")")
    let isOfAll = entity.superentity == nil
    schema.tables[table].columns.append(
      RelationalColumn(
        name: name, type: type, kind: kind, property: property.name,
        entityNames: isOfAll ? nil : placed.rowEntities, isRequired: isRequired,
        standard: (property as? NSAttributeDescription).flatMap { RelationalLiteral($0) },
        checks: RelationalCheck.checks(of: property, type: type)))
    placed.columns[property.name] = schema.tables[table].columns.count - 1
  }

  // MARK: To-many relationships

  private mutating func addToManys(of entity: NSEntityDescription) {
    guard let placed = schema.entities[entity.name ?? ""] else { return }
    for case let relationship as NSRelationshipDescription in entity.ownProperties.sorted(by: {
      $0.name < $1.name
    }) where relationship.isToMany && !relationship.isTransient {
      guard let destination = relationship.destinationEntity,
        let target = schema.entities[destination.name ?? ""]
      else { continue }
      let inverse = relationship.inverseRelationship.flatMap { $0.isTransient ? nil : $0 }
      if let inverse, !inverse.isToMany, let column = target.columns[inverse.name] {
        let position = relationship.isOrdered ? addPositions(beside: column, of: target.table) : nil
        schema.entities[placed.name]?.toManys[relationship.name] = .key(
          table: target.table, column: column, position: position)
      } else if let inverse, inverse !== relationship, let known = joins[ObjectIdentifier(inverse)]
      {
        schema.entities[placed.name]?.toManys[relationship.name] = .join(known, isOwner: false)
      } else {
        addJoinTable(of: relationship, inverse, owner: placed, member: target)
      }
    }
  }

  private mutating func addPositions(beside column: Int, of table: Int) -> Int {
    let own = schema.tables[table].columns[column]
    let name = columnNames[table].take("\(own.name)_position")
    schema.tables[table].columns.append(
      RelationalColumn(
        name: name, type: .int64, kind: .position, property: own.property,
        entityNames: own.entityNames, isRequired: false, standard: nil, checks: []))
    let position = schema.tables[table].columns.count - 1
    positionColumns[ColumnPlace(table: table, column: column)] = position
    return position
  }

  private mutating func addJoinTable(
    of relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription?,
    owner: RelationalEntity, member: RelationalEntity
  ) {
    let isReflexive = inverse === relationship
    var names = SQLNames(reserved: SQLNames.systemColumns)
    let memberColumn = names.take(relationship.name)
    let ownerColumn = names.take(
      isReflexive ? "_owner" : inverse?.name ?? "_owner", otherwise: "_owner")
    let name = tableNames.take("\(owner.name)_\(relationship.name)")
    schema.joinTables.append(
      RelationalJoinTable(
        name: name, backIndex: tableNames.take("\(name)_back"),
        ownerColumn: ownerColumn, memberColumn: memberColumn,
        ownerTable: schema.tables[owner.table].name, memberTable: schema.tables[member.table].name,
        memberPosition: relationship.isOrdered ? names.take("\(memberColumn)_position") : nil,
        ownerPosition: !isReflexive && inverse?.isOrdered == true
          ? names.take("\(ownerColumn)_position") : nil,
        isReflexive: isReflexive))
    joins[ObjectIdentifier(relationship)] = schema.joinTables.count - 1
    schema.entities[owner.name]?.toManys[relationship.name] = .join(
      schema.joinTables.count - 1, isOwner: true)
  }

  private mutating func inheritToManys(_ entity: NSEntityDescription) {
    guard var placed = schema.entities[entity.name ?? ""] else { return }
    // The nearest ancestor's takes precedence.
    for ancestor in entity.ancestry.dropFirst() {
      guard let above = schema.entities[ancestor.name ?? ""] else { continue }
      placed.toManys.merge(above.toManys) { own, _ in own }
    }
    schema.entities[placed.name] = placed
  }

  // MARK: Constraints and indexes

  private mutating func addConstraints(of entity: NSEntityDescription) {
    guard let placed = schema.entities[entity.name ?? ""] else { return }
    let table = schema.tables[placed.table]
    let isOfAll = entity.superentity == nil
    for properties in entity.ownUniquenessConstraints {
      let columns = properties.compactMap { placed.columns[$0] }.map { table.columns[$0].name }
      guard columns.count == properties.count, !columns.isEmpty else { continue }
      schema.tables[placed.table].uniques.append(
        RelationalUnique(
          name: tableNames.take("\(placed.name)_\(columns.joined(separator: "_"))_key"),
          columns: columns, properties: properties,
          entityNames: isOfAll ? nil : placed.rowEntities))
    }
    for index in entity.indexes.sorted(by: { $0.name < $1.name }) {
      let columns = index.elements.compactMap { element -> (String, Bool)? in
        guard element.collationType == .binary, let name = element.propertyName,
          let column = placed.columns[name]
        else { return nil }
        return (table.columns[column].name, element.isAscending)
      }
      guard columns.count == index.elements.count, !columns.isEmpty else { continue }
      schema.tables[placed.table].indexes.append(
        RelationalIndex(
          name: tableNames.take("\(placed.name)_\(index.name)_idx"), columns: columns))
    }
    guard isOfAll else { return }
    for (index, column) in table.columns.enumerated() {
      guard case .toOne = column.kind else { continue }
      let next = positionColumns[ColumnPlace(table: placed.table, column: index)]
        .map { table.columns[$0] }
      schema.tables[placed.table].indexes.append(
        RelationalIndex(
          name: tableNames.take("\(table.name)_\(column.name)_idx"),
          columns: [(column.name, true)] + (next.map { [($0.name, true)] } ?? [])))
    }
  }
}

extension RelationalType {
  /// Creates the column type for an attribute type, or returns nil if it has none.
  init?(_ type: NSAttributeType) {
    switch type {
    case .integer16AttributeType: self = .int16
    case .integer32AttributeType: self = .int32
    case .integer64AttributeType: self = .int64
    case .decimalAttributeType: self = .decimal
    case .doubleAttributeType: self = .double
    case .floatAttributeType: self = .float
    case .stringAttributeType: self = .text
    case .booleanAttributeType: self = .boolean
    case .dateAttributeType: self = .date
    case .binaryDataAttributeType: self = .bytes
    case .UUIDAttributeType: self = .uuid
    case .URIAttributeType: self = .url
    case .transformableAttributeType: self = .transformable
    case .compositeAttributeType: self = .json
    case .undefinedAttributeType, .objectIDAttributeType: return nil
    }
  }
}
