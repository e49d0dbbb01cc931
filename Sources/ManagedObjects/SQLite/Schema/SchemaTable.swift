/// An entity table: one per hierarchy.
struct SchemaTable: Sendable {
  /// The table's name, such as `ZPERSON`.
  let name: String
  /// The number of the root entity.
  let rootNumber: Int
  /// The columns in the order of the table's `CREATE` statement.
  let columns: [SchemaColumn]
  /// The columns of each uniqueness constraint that old frameworks declare in the table.
  let inlineUniques: [[String]]

  /// The statement that creates the table.
  var createStatement: String {
    // Made for every table whenever a store is opened, to be compared with the file's.
    var statement = "CREATE TABLE \(name) ( "
    statement.reserveCapacity(statement.utf8.count + 32 * columns.count)
    for (position, column) in columns.enumerated() {
      if position > 0 { statement += ", " }
      statement += column.name
      statement += " "
      statement += column.declaredType
    }
    guard !inlineUniques.isEmpty else { return statement + " )" }
    for names in inlineUniques {
      statement +=
        ", CONSTRAINT \(names.joined(separator: "_")) UNIQUE (\(names.joined(separator: ", ")))"
    }
    return statement + ")"
  }
}

/// An index or a trigger of the store's file.
struct SchemaIndex: Sendable, Hashable {
  /// The name.
  let name: String
  /// The table.
  let table: String
  /// The statement that creates it.
  let statement: String
}
