/// An entity table: one for each hierarchy.
struct SchemaTable: Sendable {
  /// The table's name, such as `ZPERSON`.
  let name: String
  /// The number of the entity at the top of the hierarchy.
  let rootNumber: Int
  /// The columns in the order of the statement that makes the table.
  let columns: [SchemaColumn]
  /// The columns of each uniqueness constraint that old frameworks wrote into the table.
  let inlineUniques: [[String]]

  /// The statement that makes the table.
  var createStatement: String {
    let list = columns.map { "\($0.name) \($0.declaredType)" }.joined(separator: ", ")
    guard !inlineUniques.isEmpty else { return "CREATE TABLE \(name) ( \(list) )" }
    let constraints = inlineUniques.map {
      ", CONSTRAINT \($0.joined(separator: "_")) UNIQUE (\($0.joined(separator: ", ")))"
    }
    return "CREATE TABLE \(name) ( \(list)\(constraints.joined()))"
  }
}

/// An index of the store's file, or a trigger: something with a name and a statement.
struct SchemaIndex: Sendable, Hashable {
  /// Its name.
  let name: String
  /// The table it is on.
  let table: String
  /// The statement that makes it.
  let statement: String
}
