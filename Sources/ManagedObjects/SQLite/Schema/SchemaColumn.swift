import DataModels

/// A column of an entity table.
struct SchemaColumn: Sendable {
  /// The column's content.
  enum Content: Sendable, Hashable {
    /// `Z_PK`.
    case primaryKey
    /// `Z_ENT`: the row's own entity number.
    case entityNumber
    /// `Z_OPT`: the number of times the row was saved.
    case version
    /// An attribute, or an element of a composite one; the path's first name is the attribute's.
    case attribute(path: String)
    /// The primary key of a relationship's target.
    case foreignKey(relationship: String)
    /// The entity number of a relationship's target.
    case targetEntity(relationship: String)
    /// The position in an ordered relationship of which `relationship` is the inverse.
    case orderKey(relationship: String)
  }

  /// The rank of a kind of column in a table's column order.
  enum Rank: CaseIterable, Sendable {
    case primaryKey, entityNumber, version, integer, floating, decimal, string, uri, uuid
    case transformable, binary
  }

  /// The column's name in SQL.
  let name: String
  /// The type the table declares.
  let declaredType: String
  /// The column's content.
  let content: Content
  /// The number of the entity that declares the column.
  let entityNumber: Int
  let rank: Rank

  init(name: String, content: Content, entityNumber: Int, type: NSAttributeType? = nil) {
    self.name = name
    self.content = content
    self.entityNumber = entityNumber
    switch content {
    case .primaryKey: (declaredType, rank) = ("INTEGER PRIMARY KEY", .primaryKey)
    case .entityNumber: (declaredType, rank) = ("INTEGER", .entityNumber)
    case .version: (declaredType, rank) = ("INTEGER", .version)
    case .foreignKey, .targetEntity, .orderKey: (declaredType, rank) = ("INTEGER", .integer)
    case .attribute: (declaredType, rank) = (type ?? .undefinedAttributeType).declaration
    }
  }
}
