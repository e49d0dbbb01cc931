import DataModels

/// R-tree indexes: fetch indexes of that type over numbers, as virtual tables that triggers maintain.
///
/// No real store examined contains one; names and columns follow what is known of Core Data's.
extension StoreSchema {
  /// The virtual tables.
  var rTrees: [SchemaIndex] {
    rTreeLayouts.map { tree in
      let bounds = tree.columns.map { "\($0)_MIN, \($0)_MAX" }.joined(separator: ", ")
      return SchemaIndex(
        name: tree.name, table: tree.entity.table,
        statement: "CREATE VIRTUAL TABLE \(tree.name) USING RTREE "
          + "(Z_PK INTEGER PRIMARY KEY, \(bounds))")
    }
  }

  /// The statements that fill them from existing rows.
  var rTreeFillings: [String] {
    rTreeLayouts.map { tree in
      let conditions =
        tree.columns.map { "\($0) NOT NULL" } + [
          "Z_ENT BETWEEN \(tree.entity.number) AND \(tree.entity.lastNumber)"
        ]
      return "INSERT INTO \(tree.name) SELECT Z_PK, "
        + tree.columns.map { "\($0), \($0)" }.joined(separator: ", ")
        + " FROM \(tree.entity.table) WHERE \(conditions.joined(separator: " AND "))"
    }
  }

  /// The triggers that maintain them. A row that lacks one of the values isn't in the index.
  var rTreeTriggers: [SchemaIndex] {
    rTreeLayouts.flatMap { tree -> [SchemaIndex] in
      let (name, table, columns) = (tree.name, tree.entity.table, tree.columns)
      var conditions = columns.map { "NEW.\($0) NOT NULL" }
      if tree.entity.parentNumber != 0 {
        conditions.append(
          "NEW.Z_ENT BETWEEN \(tree.entity.number) AND \(tree.entity.lastNumber)")
      }
      let values = columns.map { "NEW.\($0), NEW.\($0)" }.joined(separator: ", ")
      let drop = "DELETE FROM \(name) WHERE Z_PK = OLD.Z_PK;"
      let add =
        "INSERT INTO \(name) SELECT NEW.Z_PK, \(values) "
        + "WHERE \(conditions.joined(separator: " AND "));"
      return [
        trigger("\(name)_INSERT", "AFTER INSERT", on: table, running: add),
        trigger(
          "\(name)_UPDATE", "AFTER UPDATE OF \(columns.joined(separator: ", "))", on: table,
          running: "\(drop) \(add)"),
        trigger("\(name)_DELETE", "AFTER DELETE", on: table, running: drop),
      ]
    }
  }

  /// The entities, table names and columns of the R-trees.
  private var rTreeLayouts: [(entity: SchemaEntity, name: String, columns: [String])] {
    guard version.hasFetchIndexes else { return [] }
    return entities.flatMap { entity in
      entity.description.indexes.compactMap { index in
        columns(of: index, in: entity).map {
          (entity, "Z_\(entity.name)_\(index.name)", $0)
        }
      }
    }
  }

  /// The columns of an R-tree; nil for an index of another type.
  private func columns(
    of index: NSFetchIndexDescription, in entity: SchemaEntity
  ) -> [String]? {
    guard index.elements.first?.collationType == .rTree else { return nil }
    let columns = index.elements.compactMap { entity.column(of: $0) }
    // SQLite's R-trees have one to five dimensions.
    return columns.count == index.elements.count && (1...5).contains(columns.count)
      ? columns : nil
  }

  /// The R-trees in a file that are Core Data's by their names. As versions that differ in indexes only have equal hashes,
  /// the store's may be of another version than the model, and have trees that this doesn't.
  static func presentRTrees(
    of schemas: [StoreSchema], in connection: SQLiteConnection
  ) throws -> [String] {
    let known = Set(schemas.flatMap(\.rTrees).map { $0.name.lowercased() })
    let prefixes = Set(schemas.flatMap(\.entities).map { "z_\($0.name.lowercased())_" })
    return try connection.withStatement(
      "SELECT name FROM sqlite_master WHERE type = 'table' "
        + "AND sql LIKE 'CREATE VIRTUAL TABLE % USING RTREE%'"
    ) { row in
      var trees: [String] = []
      while try row.step() {
        let name = row.text(at: 0) ?? ""
        let folded = name.lowercased()
        if known.contains(folded) || prefixes.contains(where: folded.hasPrefix) {
          trees.append(name)
        }
      }
      return trees
    }
  }
}
