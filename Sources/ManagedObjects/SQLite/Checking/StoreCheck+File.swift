import DataModels
import Foundation

/// Checks of the file, its metadata and its schema.
extension StoreCheck {
  mutating func checkFile() throws {
    var problems: [String] = []
    do {
      try connection.withStatement("PRAGMA integrity_check(20)") { row in
        while try row.step() { problems.append(row.text(at: 0) ?? "") }
      }
    } catch let error as SQLiteError {
      problems.append(error.message)
    }
    for problem in problems where problem != "ok" {
      let lines = problem.split(separator: "\n").joined(separator: "; ")
      add(.integrity, "SQLite: \(lines)")
    }
    // In rollback mode a program can't save while the file is read. One that waits does so now: the other steps need one
    // state, but not that of this long one.
    if connection.isInTransaction { try connection.commit() }
    try connection.begin(.deferred)
  }

  mutating func checkMetadata(_ file: StoreFile) throws {
    if let problem = file.metadataProblem {
      return add(.metadataRow, in: "Z_METADATA", "the metadata can't be read: \(problem.message)")
    }
    if try connection.integer("SELECT count(*) FROM Z_METADATA") != 1 {
      add(.metadataRow, in: "Z_METADATA", "there is not exactly one row")
    }
    if UUID(uuidString: metadata.identifier ?? "") == nil {
      add(.metadataRow, in: "Z_METADATA", "'\(metadata.identifier ?? "")' isn't a UUID")
    }
    if metadata.storeType != NSSQLiteStoreType {
      add(.storeType, "the store's type is '\(metadata.storeType ?? "missing")'")
    }
    let recorded = metadata.entityHashes
    let hashes = model.entityVersionHashesByName
    for name in Set(recorded.keys).union(hashes.keys).sorted() {
      switch (recorded[name], hashes[name]) {
      case (nil, _): add(.versionHashes, in: name, "the store records no version hash")
      case (_, nil): add(.versionHashes, in: name, "the model has no such entity")
      case (let recorded, let own) where recorded != own:
        add(.versionHashes, in: name, "the recorded version hash isn't the model's")
      default: break
      }
    }
    if let digest = metadata.digest, digest != VersionHashes.digest(of: recorded) {
      add(
        .digest,
        "the digest \(digest.prefix(12))… isn't that of the recorded hashes")
    }
    if let checksum = metadata.checksum, checksum != VersionHashes.checksum(of: recorded) {
      add(.checksum, "the checksum \(checksum) isn't that of the recorded hashes")
    }
    do {
      if let cached = try file.cachedModel(), cached.entityVersionHashesByName != recorded {
        add(.modelCache, "the store's copy of its model has other version hashes")
      }
    } catch {
      add(
        .modelCache,
        "the store's copy of its model can't be read: \(error.message)")
    }
  }

  mutating func checkSchema() throws {
    let views = Set(try schema.viewsInsteadOfTables(in: connection))
    for view in views { add(.table, in: view, "a view is in place of the table") }
    for table in schema.tables where !views.contains(table.name) {
      try checkTable(table.name, table.columns.map(\.name))
    }
    for join in schema.joinTables where !views.contains(join.name) {
      try checkTable(
        join.name,
        [join.ownerKey, join.inverseKey, join.ownerOrder, join.inverseOrder].compactMap { $0 })
    }
    for entity in schema.entities {
      for constraint in entity.ownUniquenessConstraints {
        guard let needed = entity.columns(ofConstraint: constraint),
          try !hasUniqueIndex(entity.table, needed)
        else { continue }
        add(
          .uniqueIndex, in: entity.name,
          "no unique index over \(constraint.joined(separator: ", "))")
      }
    }
    let ofElements = Set(schema.elementTriggers.map(\.name))
    for trigger in schema.triggers {
      let isThere = try connection.withStatement(
        "SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name = ?"
      ) { row in
        try row.bind(trigger.name, at: 1)
        return try row.step()
      }
      if !isThere {
        add(
          ofElements.contains(trigger.name) ? .elementTrigger : .trigger, in: trigger.table,
          "the trigger \(trigger.name) is missing")
      }
    }
  }

  private mutating func checkTable(_ name: String, _ needed: [String]) throws {
    var present: Set<String> = []
    try connection.withStatement("SELECT name FROM pragma_table_info(?)") { row in
      try row.bind(name, at: 1)
      while try row.step() { present.insert(row.text(at: 0) ?? "") }
    }
    guard !present.isEmpty else { return add(.table, in: name, "the table is missing") }
    columns[name] = present
    for column in needed where !present.contains(column) {
      add(.column, in: name, "the column \(column) is missing")
    }
  }

  private func hasUniqueIndex(_ table: String, _ needed: [String]) throws -> Bool {
    try connection.withStatement(
      """
      SELECT (SELECT group_concat(c.name, ',') FROM pragma_index_info(l.name) c) \
      FROM pragma_index_list(?) l WHERE l."unique"
      """
    ) { row in
      try row.bind(table, at: 1)
      while try row.step() {
        let names = (row.text(at: 0) ?? "").split(separator: ",").map(String.init)
        if Set(names) == Set(needed) { return true }
      }
      return false
    }
  }

  mutating func checkEntityRows() throws {
    var rows: [Int: (name: String, parent: Int, last: Int64)] = [:]
    try connection.withStatement("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY") { row in
      while try row.step() {
        rows[Int(truncatingIfNeeded: row.integer(at: 0))] = (
          row.text(at: 1) ?? "", Int(truncatingIfNeeded: row.integer(at: 2)), row.integer(at: 3)
        )
      }
    }
    for entity in schema.entities {
      guard let row = rows[entity.number] else {
        add(.entityRow, in: entity.name, "Z_PRIMARYKEY has no row \(entity.number)")
        continue
      }
      if row.parent != entity.parentNumber {
        add(
          .entityRow, in: entity.name,
          "its parent has the number \(row.parent) in Z_PRIMARYKEY; it is \(entity.parentNumber)")
      }
      if row.name != entity.name {
        // The name of another entity means that numbers were mixed up; an unknown name means that an entity was
        // renamed.
        let rule: StoreFinding.Rule = schema[row.name] == nil ? .entityName : .entityRow
        add(
          rule, in: entity.name, "Z_PRIMARYKEY calls entity \(entity.number) '\(row.name)'"
        )
      }
      if entity.parentNumber == 0, has(entity.table, "Z_PK") {
        try addRows(
          .keyCounter, in: entity.name,
          "keys exceed the last one assigned, \(row.last)",
          sql: "SELECT Z_PK FROM \(entity.table) WHERE Z_PK > \(row.last)")
      }
    }
  }
}
