import DataModels

/// The storage of an entity's rows and values.
package struct SchemaEntity: Sendable {
  /// The columns of a to-one relationship.
  struct ToOne: Sendable, Hashable {
    /// The column with the target's primary key.
    let key: String
    /// The column with the target's entity number, if the target's entity has subentities.
    let targetEntity: String?
    /// The number of the declared destination entity.
    let destination: Int
  }

  /// The storage of a to-many relationship.
  enum ToMany: Sendable, Hashable {
    /// Columns of a to-one relationship in the destination's table: the inverse's, or hidden ones.
    case key(String, targetEntity: String?, order: String?, destination: Int)
    /// A join table, by its index in ``StoreSchema/joinTables``; `isOwner` identifies the side.
    case join(Int, isOwner: Bool, destination: Int)
  }

  /// The entity's number, `Z_ENT`, starting from 1.
  package let number: Int
  /// The number of the last subentity; the entity's own if it has none. The numbers of an entity and its subentities
  /// are contiguous.
  var lastNumber: Int
  /// The number of the parent, or 0.
  package let parentNumber: Int
  /// The number of the root entity.
  let rootNumber: Int
  /// The entity itself.
  package let description: NSEntityDescription
  /// The table, shared by the hierarchy.
  package let table: String
  /// The columns of all persistent attributes, own and inherited. Elements of composite attributes are listed by
  /// their paths, joined by dots.
  var attributes: [String: String] = [:]
  /// The columns of all persistent to-one relationships, own and inherited.
  var toOnes: [String: ToOne] = [:]
  /// The storage of all persistent to-many relationships, own and inherited.
  var toManys: [String: ToMany] = [:]

  /// The entity's name.
  package var name: String { description.name ?? "" }
  /// The numbers of the entity and its subentities.
  var numbers: ClosedRange<Int> { number...lastNumber }
  /// Whether the entity has subentities.
  var hasSubentities: Bool { lastNumber > number }
  /// Whether the table holds rows of this entity only.
  var hasOwnTable: Bool { rootNumber == number && !hasSubentities }

  /// The SQL condition for rows of exactly this entity. In a table of its own these are all rows, regardless of their
  /// entity number, as in a fetch.
  ///
  /// - Parameter row: The alias of the table in the statement.
  func ownRows(_ row: String = "") -> String {
    hasOwnTable ? "1" : "\(row.isEmpty ? "" : row + ".")Z_ENT = \(number)"
  }
}
