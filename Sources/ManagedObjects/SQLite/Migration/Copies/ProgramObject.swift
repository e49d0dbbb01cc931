/// An index or trigger created by the program, on a table of the store's.
struct ProgramObject {
  let name: String
  let table: String
  let statement: String
  let isTrigger: Bool
}

extension SQLiteConnection {
  /// Recreates the program's indexes and triggers if the new tables permit it.
  ///
  /// - Returns: the names of those that can't be kept.
  func restore(_ objects: [ProgramObject]) throws -> [String] {
    var lost: [String] = []
    for object in objects {
      do {
        try execute(object.statement)
        guard object.isTrigger else { continue }
        // SQLite only checks a trigger when it would run.
        do {
          let table = SQLLiteral.name(object.table)
          let columns = try columns(of: object.table)
          let assignments = columns.map { "\($0) = \($0)" }.joined(separator: ", ")
          for sql in [
            "DELETE FROM \(table)", "UPDATE \(table) SET \(assignments)",
            "INSERT INTO \(table) DEFAULT VALUES",
          ] { _ = try prepare(sql) }
        } catch {
          try execute("DROP TRIGGER \(SQLLiteral.name(object.name))")
          throw error
        }
      } catch is SQLiteError {
        lost.append(object.name)
      }
    }
    return lost
  }

  /// The quoted columns of a table; join tables have no version, and a trigger may be for a single column.
  private func columns(of table: String) throws -> [String] {
    try withStatement("SELECT name FROM pragma_table_info(?)") { row in
      try row.bind(table, at: 1)
      var columns: [String] = []
      while try row.step() { columns.append(SQLLiteral.name(row.text(at: 0) ?? "")) }
      return columns
    }
  }
}
