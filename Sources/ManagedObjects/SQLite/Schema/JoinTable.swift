/// The table of a many-to-many pair of relationships.
struct JoinTable: Sendable {
  /// The table's name, such as `Z_1MEMBERS`.
  let name: String
  /// The number of the entity that declares the relationship the table is named after.
  let ownerNumber: Int
  /// The relationship the table is named after.
  let relationship: String
  /// The number of the entity that declares the other relationship.
  let inverseOwnerNumber: Int
  /// The other relationship; the same one if it is its own inverse.
  let inverse: String
  /// The column with the owner's primary key.
  let ownerKey: String
  /// The column with the other side's primary key.
  let inverseKey: String
  /// The column with the owner's position in the other side's ordered set, if that is ordered.
  let ownerOrder: String?
  /// The column with the other side's position in the owner's ordered set, if that is ordered.
  let inverseOrder: String?
  /// Whether the owner requests indexes that include its order.
  let indexesOrder: Bool

  /// The table name for a relationship of an entity with a number.
  static func name(of relationship: String, ownerNumber: Int) -> String {
    "Z_\(ownerNumber)\(relationship.uppercased())"
  }

  /// Whether the relationship is its own inverse.
  var isReflexive: Bool {
    ownerNumber == inverseOwnerNumber && relationship == inverse
  }

  /// The statement that creates the table.
  var createStatement: String {
    let columns = [ownerKey, inverseKey, ownerOrder, inverseOrder].compactMap { $0 }
      .map { "\($0) INTEGER" }
    return "CREATE TABLE \(name) ( \(columns.joined(separator: ", ")), "
      + "PRIMARY KEY (\(ownerKey), \(inverseKey)) )"
  }

  /// The indexes other than the primary key.
  var indexes: [SchemaIndex] {
    var indexes = [
      SchemaIndex(
        name: "\(name)_\(inverseKey)_INDEX", table: name,
        statement:
          "CREATE INDEX \(name)_\(inverseKey)_INDEX ON \(name) (\(inverseKey), \(ownerKey))"
      )
    ]
    if indexesOrder, let order = ownerOrder ?? inverseOrder {
      for columns in [[ownerKey, inverseKey, order], [ownerKey, order, inverseKey]] {
        let index = "\(name)_\(columns.joined(separator: "_"))_INDEX"
        indexes.append(
          SchemaIndex(
            name: index, table: name,
            statement: "CREATE INDEX \(index) ON \(name) (\(columns.joined(separator: ", ")))"))
      }
    }
    return indexes
  }
}
