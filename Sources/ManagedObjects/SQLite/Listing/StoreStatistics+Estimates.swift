extension StoreStatistics {
  /// The overhead of an entry in a table or index besides its values, in bytes: its size, its key, and its offset in
  /// the page.
  private static let entryBytes = 8

  /// Estimates the sizes of tables from their values, assuming full pages. For versions of SQLite without `dbstat`.
  static func estimatedTables(_ connection: SQLiteConnection) throws -> [Table] {
    let page = max(512, try connection.integer("PRAGMA page_size") ?? 4096)
    var names: [String] = []
    try connection.withStatement("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1") {
      row in
      while try row.step() { names.append(row.text(at: 0) ?? "") }
    }
    return try names.map { name in
      let columns = try texts("SELECT name FROM pragma_table_info(?)", name, in: connection)
      let indexes = try texts("SELECT name FROM pragma_index_list(?)", name, in: connection)
      return Table(
        name: name, bytes: try bytes(of: columns, in: name, page, connection),
        indexBytes: try indexes.reduce(0) { sum, index in
          // An index on an expression has no column.
          let columns = try texts(
            "SELECT name FROM pragma_index_info(?) WHERE name IS NOT NULL", index, in: connection)
          return sum + (try bytes(of: columns, in: name, page, connection))
        })
    }
  }

  private static func texts(
    _ sql: String, _ argument: String, in connection: SQLiteConnection
  ) throws -> [String] {
    try connection.withStatement(sql) { row in
      try row.bind(argument, at: 1)
      var texts: [String] = []
      while try row.step() { texts.append(row.text(at: 0) ?? "") }
      return texts
    }
  }

  /// Returns the number of bytes that the values of columns occupy in pages, according to SQLite's file format.
  private static func bytes(
    of columns: [String], in table: String, _ page: Int64, _ connection: SQLiteConnection
  ) throws -> Int64 {
    let table = SQLLiteral.name(table)
    let rows = try connection.integer("SELECT count(*) FROM \(table)") ?? 0
    var total = rows.multipliedReportingOverflow(by: Int64(Self.entryBytes + columns.count))
      .partialValue
    for column in columns.map(SQLLiteral.name) {
      total &+=
        try connection.integer(
          "SELECT coalesce(sum(CASE typeof(\(column)) WHEN 'null' THEN 0 WHEN 'real' THEN 8 "
            + "WHEN 'integer' THEN CASE WHEN \(column) BETWEEN 0 AND 1 THEN 0 "
            + "WHEN \(column) BETWEEN -128 AND 127 THEN 1 WHEN \(column) BETWEEN -32768 AND 32767 THEN 2 "
            + "WHEN \(column) BETWEEN -8388608 AND 8388607 THEN 3 "
            + "WHEN \(column) BETWEEN -2147483648 AND 2147483647 THEN 4 ELSE 8 END "
            + "ELSE length(CAST(\(column) AS BLOB)) END), 0) FROM \(table)") ?? 0
    }
    return max(1, (total + page - 1) / page) * page
  }
}
