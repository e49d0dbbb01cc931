import DataModels
import Foundation

/// Persistent history, whose rows refer to entities and properties by number.
extension InPlaceMigration {
  func migrateHistory() throws {
    guard try connection.hasTable("ACHANGE") else { return }
    try rewriteTombstones()
    try connection.execute(
      "DROP TABLE IF EXISTS temp.Z_MASKS; CREATE TEMP TABLE Z_MASKS "
        + "(ENT INTEGER, OLD BLOB, NEW BLOB, PRIMARY KEY (ENT, OLD))")
    for pair in pairs { try collectMasks(pair) }
    // Changes of objects of removed entities would be attributed to other entities.
    try connection.execute(
      "DELETE FROM ACHANGE WHERE ZENTITY < 16000 "
        + "AND ZENTITY NOT IN (SELECT OLD FROM temp.Z_MIGRATION); "
        + "UPDATE ACHANGE SET ZCOLUMNS = IFNULL((SELECT k.NEW FROM temp.Z_MASKS k "
        + "WHERE k.ENT = ZENTITY AND k.OLD = ZCOLUMNS), ZCOLUMNS), ZENTITYPK = ZENTITYPK + "
        + "(SELECT SHIFT FROM temp.Z_MIGRATION WHERE OLD = ZENTITY), "
        + "ZENTITY = (SELECT NEW FROM temp.Z_MIGRATION WHERE OLD = ZENTITY) WHERE ZENTITY < 16000; "
        + "DROP TABLE temp.Z_MASKS")
    // In a store whose history was deleted, tracking may have ended: a new transaction would forbid writing without it.
    if try tracksHistory || connection.hasHistory { try recordMigration() }
  }

  // MARK: Changed columns

  /// Maps the old change bits of an entity to the new ones.
  private func collectMasks(_ pair: MigrationPair) throws {
    guard let oldLayout = ModelLayout.of(oldModel)[pair.old.name],
      let newLayout = ModelLayout.of(newModel)[pair.new.name]
    else { return }
    let before = ChangedColumns(
      layout: oldLayout, entity: pair.old, table: old.table(pair.old.table))
    let after = ChangedColumns(
      layout: newLayout, entity: pair.new, table: new.table(pair.new.table))
    let names = pair.attributes.merging(pair.relationships) { first, _ in first }
    var moves: [(from: Int, to: Int)] = []
    for (name, oldName) in names {
      let (from, to) = (before.positions[oldName] ?? [], after.positions[name] ?? [])
      // A to-one relationship has two or three bits, the first of which stands for its key: if their number changed,
      // the others follow the key.
      for (index, position) in to.enumerated() where !from.isEmpty {
        moves.append((from[min(index, from.count - 1)], position))
      }
    }
    // The bit of a property that doesn't go on would be read as that of a new one.
    let isSame =
      before.count == after.count && Set(moves.map(\.to)).count == after.count
      && moves.allSatisfy { $0.from == $0.to }
    if isSame { return }
    let masks = try connection.withStatement(
      "SELECT DISTINCT ZCOLUMNS FROM ACHANGE WHERE ZENTITY = ? AND ZCOLUMNS IS NOT NULL"
    ) { row in
      var masks: [Data] = []
      try row.bind(Int64(pair.old.number), at: 1)
      while try row.step() { if let mask = row.blob(at: 0) { masks.append(mask) } }
      return masks
    }
    for mask in masks {
      let bytes = [UInt8](mask)
      var moved = [UInt8](repeating: 0, count: (after.count + 7) / 8)
      for (from, to) in moves
      where bytes.indices.contains(from / 8) && bytes[from / 8] & 0x80 >> UInt8(from % 8) != 0 {
        moved[to / 8] |= 0x80 >> UInt8(to % 8)
      }
      try connection.withStatement("INSERT INTO temp.Z_MASKS VALUES (?, ?, ?)") { row in
        try row.bind(Int64(pair.old.number), at: 1)
        try row.bind(mask, at: 2)
        try row.bind(Data(moved), at: 3)
        try row.run()
      }
    }
  }

  // MARK: Tombstones

  private func rewriteTombstones() throws {
    var present = try connection.tombstoneCount
    let needed = new.entities.map { keptAttributes($0, newModel).count }.max() ?? 0
    while present < needed {
      try connection.execute("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(present) BLOB")
      present += 1
    }
    guard present > 0 else { return }
    for pair in pairs {
      let (before, after) = (
        keptAttributes(pair.old, oldModel), keptAttributes(pair.new, newModel)
      )
      let sources = (0..<present).map { index -> String in
        // Another framework may have made columns for fewer values than the old model preserves.
        guard after.indices.contains(index), let name = pair.attributes[after[index].name],
          let position = before.firstIndex(where: { $0.name == name }), position < present
        else { return "NULL" }
        return converted("ZTOMBSTONE\(position)", from: before[position], to: after[index])
      }
      let isSame = sources.enumerated().allSatisfy { index, source in
        source == "ZTOMBSTONE\(index)" || source == "NULL" && index >= before.count
      }
      if isSame { continue }
      let list = sources.enumerated().map { "ZTOMBSTONE\($0) = \($1)" }.joined(separator: ", ")
      try connection.execute("UPDATE ACHANGE SET \(list) WHERE ZENTITY = \(pair.old.number)")
    }
  }

  /// The attributes whose values are preserved when an object is deleted, in column order.
  private func keptAttributes(
    _ entity: SchemaEntity, _ model: NSManagedObjectModel
  ) -> [NSAttributeDescription] {
    guard let layout = ModelLayout.of(model)[entity.name] else { return [] }
    return HistoryWriter.tombstoneProperties(of: layout).compactMap {
      $0.description as? NSAttributeDescription
    }
  }

  // MARK: The migration itself

  /// Records the migration like Core Data: as a transaction without changes.
  private func recordMigration() throws {
    let metadata = try connection.readMetadata()
    let digest =
      metadata[StoreMetadataKeys.digest] as? String
      ?? VersionHashes.digest(of: oldModel.entityVersionHashesByName)
    for statement in try HistorySchema.additions(in: connection) {
      try connection.execute(statement)
    }
    let author =
      "com.apple.coredata.schemamigrator: lightweight migration from model with digest { \(digest) }"
    let authorKey = try historyString(author)
    let processKey = try historyString(ProcessInfo.processInfo.processName)
    let key = try historyKey(
      HistorySchema.transactionNumber, name: "TRANSACTION", table: "ATRANSACTION")
    try connection.withStatement(
      "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZPROCESSIDTS, ZTIMESTAMP) "
        + "VALUES (?, ?, ?, ?, ?)"
    ) { row in
      try row.bind(key, at: 1)
      try row.bind(Int64(HistorySchema.transactionNumber), at: 2)
      try row.bind(authorKey, at: 3)
      try row.bind(processKey, at: 4)
      try row.bind(Date().timeIntervalSinceReferenceDate, at: 5)
      try row.run()
    }
  }

  private func historyString(_ text: String) throws -> Int64 {
    try HistorySchema.key(ofText: text, in: connection) {
      try historyKey(
        HistorySchema.stringNumber, name: "TRANSACTIONSTRING", table: "ATRANSACTIONSTRING")
    }
  }

  /// The next key of a history table; the store's write lock is held.
  private func historyKey(_ number: Int, name: String, table: String) throws -> Int64 {
    let known = try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)")
    let last = max(known ?? 0, try connection.integer("SELECT max(Z_PK) FROM \(table)") ?? 0)
    let (key, isTooMuch) = last.addingReportingOverflow(1)
    guard !isTooMuch else { throw noKeysLeft(name, last) }
    try connection.execute(
      "INSERT OR REPLACE INTO Z_PRIMARYKEY VALUES (\(number), '\(name)', 0, \(key))")
    return key
  }
}
