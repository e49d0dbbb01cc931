import DataModels
import Foundation
import PredicateFormat

/// The indexes of a store's tables.
extension StoreSchema {
  /// All indexes, ordered by entity, followed by those of join tables.
  var indexes: [SchemaIndex] {
    var indexes: [SchemaIndex] = []
    let hasNamedIndexes = entities.contains { !$0.description.indexes.isEmpty }
    for entity in entities {
      if entity.parentNumber == 0 { indexes += structuralIndexes(of: entity) }
      if version.hasFetchIndexes {
        indexes += fetchIndexes(of: entity)
        if !hasNamedIndexes { indexes += markedIndexes(of: entity) }
      } else {
        indexes += columnIndexes(of: entity)
      }
      if version.hasUniqueIndexes { indexes += uniqueIndexes(of: entity) }
    }
    if version.indexesJoinTables { indexes += joinTables.flatMap(\.indexes) }
    return indexes
  }

  /// An index for each foreign key, and one for the entity numbers of a hierarchy.
  private func structuralIndexes(of root: SchemaEntity) -> [SchemaIndex] {
    var columns: [String] = []
    for column in table(root.table)?.columns ?? [] {
      if case .foreignKey = column.content { columns.append(column.name) }
    }
    let omitsEntityIndex = SchemaOptions.isOn(
      root.description.userInfo?["_NSEntityOmitSubentityColumnIndex"])
    if root.hasSubentities, !omitsEntityIndex { columns.append("Z_ENT") }
    return columns.map { index(on: root.table, name: "\(root.table)_\($0)_INDEX", list: $0) }
  }

  private func index(
    on table: String, name: String, list: String, isUnique: Bool = false, suffix: String = ""
  ) -> SchemaIndex {
    // An index may have any name in a model.
    let written = SchemaNames.isPlain(name) ? name : SQLLiteral.name(name)
    return SchemaIndex(
      name: name, table: table,
      statement:
        "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(written) ON \(table) (\(list))\(suffix)")
  }

  /// The entity's fetch indexes, under their own names.
  private func fetchIndexes(of entity: SchemaEntity) -> [SchemaIndex] {
    entity.description.indexes.compactMap { fetchIndex in
      let elements = fetchIndex.elements
      guard elements.first?.collationType != .rTree else { return nil }
      // A single to-one relationship is covered by its foreign key's own index.
      if elements.count == 1, let element = elements.first, element.isAscending,
        element.expressionDescription == nil, fetchIndex.partialIndexPredicate == nil,
        entity.toOnes[element.propertyName ?? ""] != nil
      {
        return nil
      }
      let columns = elements.compactMap { element in
        entity.column(of: element).map {
          "\($0) COLLATE BINARY \(element.isAscending ? "ASC" : "DESC")"
        }
      }
      guard !columns.isEmpty else { return nil }
      var suffix = ""
      if let predicate = fetchIndex.partialIndexPredicate {
        guard let sql = PartialIndexPredicate.sql(predicate.tree, in: entity) else { return nil }
        suffix = " WHERE \(sql)"
      }
      return index(
        on: entity.table, name: "Z_\(entity.name)_\(fetchIndex.name)",
        list: columns.joined(separator: ", "), suffix: suffix)
    }
  }

  /// The indexes for older "indexed" marks and compound indexes, in models without named fetch indexes.
  private func markedIndexes(of entity: SchemaEntity) -> [SchemaIndex] {
    let marked = entity.ownIndexedAttributes.map { [$0] } + entity.description.compoundIndexNames
    return marked.compactMap { names in
      let columns = names.compactMap { entity.column(of: $0) }
      guard columns.count == names.count else { return nil }
      return index(
        on: entity.table, name: "Z_\(entity.name)_\(names.joined(separator: "_"))",
        list: columns.map { "\($0) COLLATE BINARY ASC" }.joined(separator: ", "))
    }
  }

  /// The indexes for the same marks as created by older frameworks.
  private func columnIndexes(of entity: SchemaEntity) -> [SchemaIndex] {
    let single = entity.ownIndexedAttributes.compactMap { entity.column(of: $0) }.map {
      index(on: entity.table, name: "\(entity.table)_\($0)_INDEX", list: $0)
    }
    let compound = entity.description.compoundIndexNames.compactMap { names -> SchemaIndex? in
      let columns = names.compactMap { entity.column(of: $0) }
      guard columns.count == names.count else { return nil }
      return index(
        on: entity.table, name: "\(entity.table)_\(columns.joined(separator: "_"))",
        list: columns.joined(separator: ", "))
    }
    return single + compound
  }

  /// Rejects uniqueness constraints over what has no column, in a new store: without that the constraint would be
  /// another one. Existing stores are opened without its index.
  ///
  /// - Parameter entityNames: the names of the store's entities; nil for all.
  func refuseConstraintsWithoutColumns(of entityNames: Set<String>?) throws {
    for entity in entities where entityNames?.contains(entity.name) ?? true {
      for names in entity.ownUniquenessConstraints {
        guard let name = names.first(where: { entity.columnsOfAll($0).isEmpty }) else { continue }
        throw CoreDataError.make(
          NSPersistentStoreIncompatibleSchemaError,
          "A uniqueness constraint of '\(entity.name)' includes '\(name)', which isn't stored as a value of its "
            + "own: only attributes and to-one relationships that aren't transient can be.")
      }
    }
  }

  private func uniqueIndexes(of entity: SchemaEntity) -> [SchemaIndex] {
    entity.ownUniquenessConstraints.compactMap { names in
      guard let columns = entity.columns(ofConstraint: names) else { return nil }
      return index(
        on: entity.table, name: "Z_\(entity.name)_UNIQUE_\(names.joined(separator: "_"))",
        list: columns.map { "\($0) COLLATE BINARY ASC" }.joined(separator: ", "), isUnique: true)
    }
  }
}
