/// Replacing a store's contents by those of its copy.
extension WorkingCopy {
  private struct SchemaObject: Hashable {
    let kind: String
    let name: String
    /// The table of an index or trigger; otherwise the name.
    let table: String
    let statement: String

    var quotedName: String { SQLLiteral.name(name) }
    var isTable: Bool { kind == "table" && !isVirtual }
    var isVirtual: Bool { statement.uppercased().hasPrefix("CREATE VIRTUAL TABLE") }
    /// Whether it is a full-text index that has the texts of another table (`content='ZNOTE'`).
    var hasOthersContents: Bool {
      let text = statement.lowercased().filter { !$0.isWhitespace && !"\"'`[]".contains($0) }
      guard isVirtual, text.contains("usingfts") else { return false }
      return text.split(separator: ",").contains { part in
        part.hasPrefix("content=") && part.dropFirst(8).first.map { $0 != ")" } == true
      }
    }
  }

  /// Replaces the store's contents by those of the copy, inside the open transaction.
  ///
  /// Rows keep the copy's rowids: the program's tables may name others' rows by them, as full-text indexes do. A virtual
  /// table that is the same in both stays, and needs no module: its contents are in ordinary tables, which are replaced
  /// like all others.
  ///
  /// - Parameter own: the tables to replace, if the copy hasn't the others; nil for all.
  /// - Returns: the names of the program's indexes and triggers that can't be kept, and of its full-text indexes that can't
  ///   be made anew.
  func takeContents(insteadOf own: OwnTables?) throws -> [String] {
    try connection.execute("ATTACH \(SQLLiteral.text(copy.path)) AS w")
    connection.emptyCache()
    let (all, coming) = (try objects("main"), try objects("w"))
    let present = all.filter { own?.contain($0.table) ?? true }
    if own != nil { try refuse(coming, beside: Set(all).subtracting(present)) }
    let staying = Set(present.filter(\.isVirtual)).intersection(coming)
    for object in present where object.kind != "table" {
      try connection.execute("DROP \(object.kind) IF EXISTS main.\(object.quotedName)")
    }
    // The tables of a virtual table are dropped and created with it.
    let dropped =
      present.filter { $0.isVirtual && !staying.contains($0) } + present.filter(\.isTable)
    for object in dropped {
      try connection.execute("DROP TABLE IF EXISTS main.\(object.quotedName)")
    }
    for object in coming where object.isVirtual && !staying.contains(object) {
      try connection.execute(object.statement)
    }
    for object in coming where object.isTable {
      try connection.execute(
        connection.hasTable(object.name)
          ? "DELETE FROM main.\(object.quotedName)" : object.statement)
      try takeRows(of: object.name)
    }
    try takeCounters()
    for kind in ["index", "view", "trigger"] {
      for object in coming where object.kind == kind { try connection.execute(object.statement) }
    }
    guard let own else { return [] }
    // The store's own triggers call them.
    try connection.registerCoreDataFunctions()
    return try rebuild(Set(all).subtracting(present))
      + connection.restore(
        present.filter {
          $0.kind == "trigger" && !own.hasTrigger($0.name)
            || $0.kind == "index" && !own.hasIndex($0.name)
        }.map {
          ProgramObject(
            name: $0.name, table: $0.table, statement: $0.statement, isTrigger: $0.kind == "trigger"
          )
        })
  }

  /// Makes full-text indexes of other tables' contents anew: in a copy that isn't seeded, rows have got new keys. Other
  /// tables of the program may name rows by their keys, too: only the program knows.
  private func rebuild(_ others: Set<SchemaObject>) -> [String] {
    var lost: [String] = []
    for object in others.filter(\.hasOthersContents).sorted(by: { $0.name < $1.name }) {
      let name = object.quotedName
      do { try connection.execute("INSERT INTO main.\(name) (\(name)) VALUES ('rebuild')") } catch {
        lost.append(object.name)
      }
    }
    return lost
  }

  /// Throws if a table of the copy has the name of one that stays.
  private func refuse(_ coming: [SchemaObject], beside others: Set<SchemaObject>) throws {
    let names = Set(
      others.filter { ["table", "view"].contains($0.kind) }.map { $0.name.lowercased() })
    for object in coming where object.kind == "table" {
      guard names.contains(object.name.lowercased()) else { continue }
      throw MigrationError.failed(
        "The new version has a table \(object.name), and the program has put one of that name there."
      )
    }
  }

  /// The tables that SQLite makes itself: what AUTOINCREMENT has counted, and statistics.
  private func takeCounters() throws {
    let names = try connection.withStatement(
      "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name GLOB 'sqlite_*' "
        + "AND name IN (SELECT name FROM w.sqlite_master)"
    ) { row in
      var names: [String] = []
      while try row.step() { if let name = row.text(at: 0) { names.append(name) } }
      return names
    }
    for name in names {
      try connection.execute(
        "DELETE FROM main.\(name); INSERT INTO main.\(name) SELECT * FROM w.\(name)")
    }
  }

  // MARK: Rows

  private func takeRows(of table: String) throws {
    let name = SQLLiteral.name(table)
    let columns = try columns(of: table)
    let written = columns.filter(\.isWritten).map { SQLLiteral.name($0.name) }
    if written.count == columns.count, try keyIsRowid(table) {
      // The fastest way: SQLite copies the records as they are.
      try connection.execute("INSERT INTO main.\(name) SELECT * FROM w.\(name)")
      return
    }
    // A table without rowids has no such column.
    let rowid = ["rowid", "_rowid_", "oid"].first { rowid in
      !columns.contains { $0.name.lowercased() == rowid }
        && (try? connection.prepare("SELECT \(rowid) FROM w.\(name)")) != nil
    }
    let list = ([rowid].compactMap(\.self) + written).joined(separator: ", ")
    try connection.execute("INSERT INTO main.\(name) (\(list)) SELECT \(list) FROM w.\(name)")
  }

  /// The columns of a table of the copy; generated ones can't be written.
  private func columns(of table: String) throws -> [(name: String, isWritten: Bool)] {
    try connection.withStatement("SELECT name, hidden FROM pragma_table_xinfo(?, 'w')") { row in
      try row.bind(table, at: 1)
      var columns: [(name: String, isWritten: Bool)] = []
      while try row.step() { columns.append((row.text(at: 0) ?? "", row.integer(at: 1) == 0)) }
      return columns
    }
  }

  /// Whether a table of the copy has a primary key that is its rowid, and so needs no index.
  private func keyIsRowid(_ table: String) throws -> Bool {
    try connection.withStatement(
      "SELECT EXISTS (SELECT 1 FROM pragma_table_info(?1, 'w') WHERE pk > 0) AND NOT EXISTS "
        + "(SELECT 1 FROM pragma_index_list(?1, 'w') WHERE origin = 'pk')"
    ) { row in
      try row.bind(table, at: 1)
      return try row.step() && row.integer(at: 0) != 0
    }
  }

  private func objects(_ database: String) throws -> [SchemaObject] {
    try connection.withStatement(
      "SELECT type, name, tbl_name, sql FROM \(database).sqlite_master WHERE sql IS NOT NULL "
        + "AND name NOT GLOB 'sqlite_*' ORDER BY rowid"
    ) { row in
      var objects: [SchemaObject] = []
      while try row.step() {
        objects.append(
          SchemaObject(
            kind: row.text(at: 0) ?? "", name: row.text(at: 1) ?? "",
            table: row.text(at: 2) ?? "", statement: row.text(at: 3) ?? ""))
      }
      return objects
    }
  }
}
