import DataModels
import Foundation

/// The contents of a store other than its rows.
extension InPlaceMigration {
  // MARK: Indexes and triggers

  /// Drops indexes and triggers that can't stay, and returns those of the program, to be recreated later.
  func removeIndexesAndTriggers(touching plan: Plan) throws -> [ProgramObject] {
    let wanted = Dictionary(
      new.indexes.map { ($0.name, $0.statement) }, uniquingKeysWith: { first, _ in first })
    let known = Set(old.indexes.map(\.name))
    // SQLite ignores case in names, and records a trigger's table as its statement has it.
    let tables = Dictionary(
      (old.tables.map(\.name) + old.joinTables.map(\.name)).map { ($0.lowercased(), $0) },
      uniquingKeysWith: { first, _ in first })
    let trees = try StoreSchema.presentRTrees(of: [old, new], in: connection)
    let ofRTrees = Set(
      trees.flatMap { tree in ["INSERT", "UPDATE", "DELETE"].map { "\(tree)_\($0)" } })
    var saved: [ProgramObject] = []
    var dropped = trees.map { "DROP TABLE \(SQLLiteral.name($0))" }
    for object in try indexesAndTriggers() {
      guard let table = tables[object.table.lowercased()] else { continue }
      if object.isTrigger {
        dropped.append("DROP TRIGGER \(SQLLiteral.name(object.name))")
        if !object.name.hasPrefix("Z_DA_"), !ofRTrees.contains(object.name) { saved.append(object) }
        continue
      }
      // Core Data's own names begin with Z; one that isn't in a model is a leftover.
      let isStale = known.contains(object.name) || object.name.hasPrefix("Z")
      if plan.remakes(table) {
        dropped.append("DROP INDEX \(SQLLiteral.name(object.name))")
        if !isStale { saved.append(object) }
      } else if wanted[object.name] != object.statement, isStale {
        dropped.append("DROP INDEX \(SQLLiteral.name(object.name))")
      }
    }
    for statement in dropped { try connection.execute(statement) }
    return saved
  }

  private func indexesAndTriggers() throws -> [ProgramObject] {
    try connection.withStatement(
      "SELECT name, tbl_name, sql, type FROM sqlite_master "
        + "WHERE type IN ('index', 'trigger') AND sql IS NOT NULL"
    ) { row in
      var objects: [ProgramObject] = []
      while try row.step() {
        objects.append(
          ProgramObject(
            name: row.text(at: 0) ?? "", table: row.text(at: 1) ?? "",
            statement: row.text(at: 2) ?? "", isTrigger: row.text(at: 3) == "trigger"))
      }
      return objects
    }
  }

  func addIndexes() throws {
    // SQLite ignores case in names.
    let present = Set(try indexesAndTriggers().map { $0.name.lowercased() })
    for index in new.indexes where !present.contains(index.name.lowercased()) {
      try connection.execute(index.statement)
    }
  }

  func addTriggers() throws {
    for trigger in new.triggers { try connection.execute(trigger.statement) }
    for tree in new.rTrees { try connection.execute(tree.statement) }
    for filling in new.rTreeFillings { try connection.execute(filling) }
    for trigger in new.rTreeTriggers { try connection.execute(trigger.statement) }
  }

  // MARK: Keys, metadata, model

  func writePrimaryKeys() throws {
    var highest: [Int: Int64] = [:]
    for table in new.tables {
      var key = try connection.integer("SELECT max(Z_PK) FROM \(table.name)") ?? 0
      for pair in pairs where pair.new.table == table.name {
        let known =
          try connection.integer(
            "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(pair.old.rootNumber)") ?? 0
        // A counter at the end of the range leaves no keys, with a shift or without.
        let (sum, isTooMuch) = known.addingReportingOverflow(pair.shift)
        key = max(key, isTooMuch ? .max : sum)
      }
      highest[table.rootNumber] = key
    }
    try connection.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < 16000")
    try connection.writePrimaryKeys(of: new, highest: highest)
  }

  /// Writes the new model's metadata, and makes SQLite count the schema as changed, even if no table has changed: that
  /// tells other programs which have the store open; see ``SQLiteEngine/requireReadable()``.
  func writeStoreMetadata() throws {
    try connection.execute("CREATE TABLE Z_MIGRATED (Z_PK INTEGER); DROP TABLE Z_MIGRATED")
    var metadata = try connection.readMetadata()
    let fresh = MetadataList.new(for: newModel, version: new.version)
    for key in StoreMetadataKeys.own
    where ![StoreMetadataKeys.uuid, StoreMetadataKeys.autoVacuumLevel].contains(key) {
      if let value = fresh[key] { metadata[key] = value }
    }
    if let highest = metadata[StoreMetadataKeys.maximumFrameworkVersion] as? Int {
      metadata[StoreMetadataKeys.maximumFrameworkVersion] = max(highest, new.version.rawValue)
    }
    try connection.writeMetadata(metadata)
    if try !connection.hasTable("Z_MODELCACHE") {
      try connection.execute(StoreSchema.modelCacheTable)
    }
    try connection.writeModelCache(of: newModel)
  }

  // MARK: External files

  /// Records external files of removed or transient attributes and of removed entities that no row refers to any more.
  func noteObsoleteFiles(_ plan: Plan) throws {
    var gone: Set<String> = []
    for entity in old.entities where plan.remakes(entity.table) {
      let pair = pairsByOld[entity.number]
      // An attribute that becomes transient goes on, but its column doesn't.
      let carried = Set(
        pair?.attributes.filter { pair?.new.attributes[$0.key] != nil }.map(\.value) ?? [])
      for (name, column) in externalColumns(of: entity) where !carried.contains(name) {
        gone.formUnion(
          try fileNames(
            column, in: presentName(entity.table), "Z_ENT = \(entity.number)"))
      }
    }
    guard !gone.isEmpty else { return }
    for entity in new.entities {
      for (_, column) in externalColumns(of: entity) {
        gone.subtract(try fileNames(column, in: entity.table, "Z_ENT = \(entity.number)"))
      }
    }
    let folder = ExternalData(store: url)
    obsoleteFiles = gone.sorted().compactMap { folder.file(of: Data([2]) + Data($0.utf8)) }
  }

  private func externalColumns(of entity: SchemaEntity) -> [(name: String, column: String)] {
    entity.attributes.sorted { $0.key < $1.key }.filter {
      entity.attribute(at: $0.key)?.allowsExternalBinaryDataStorage ?? false
    }.map { ($0.key, $0.value) }
  }

  private func fileNames(
    _ column: String, in table: String, _ condition: String
  ) throws -> Set<String> {
    try connection.withStatement(
      "SELECT CAST(substr(\(column), 2, 36) AS TEXT) FROM \(table) "
        + "WHERE \(condition) AND substr(\(column), 1, 1) = x'02'"
    ) { row in
      var names: Set<String> = []
      while try row.step() { if let name = row.text(at: 0) { names.insert(name) } }
      return names
    }
  }
}
