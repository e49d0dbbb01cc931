/// The columns that a table has in the file, found by their names as SQLite finds them.
struct PresentColumns {
  private let names: Set<String>

  init(of table: String, in connection: SQLiteConnection) throws {
    names = try connection.withStatement("SELECT name FROM pragma_table_info(?)") { row in
      try row.bind(table, at: 1)
      var names: Set<String> = []
      while try row.step() { names.insert(SchemaNames.folded(row.text(at: 0) ?? "")) }
      return names
    }
  }

  /// Whether the table has a column.
  func contains(_ name: String) -> Bool { names.contains(SchemaNames.folded(name)) }
}
