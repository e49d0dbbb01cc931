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
    let list = columns.map { "\($0.name) \($0.declaredType)" }.joined(separator: ", ")
    guard !inlineUniques.isEmpty else { return "CREATE TABLE \(name) ( \(list) )" }
    let constraints = inlineUniques.map {
      ", CONSTRAINT \($0.joined(separator: "_")) UNIQUE (\($0.joined(separator: ", ")))"
    }
    return "CREATE TABLE \(name) ( \(list)\(constraints.joined()))"
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
