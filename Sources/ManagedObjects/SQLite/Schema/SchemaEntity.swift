import DataModels

/// Where an entity's rows and values lie.
package struct SchemaEntity: Sendable {
  /// The columns of a to-one relationship.
  struct ToOne: Sendable, Hashable {
    /// The column with the target's primary key.
    let key: String
    /// The column with the target's entity number, where the target's entity has subentities.
    let targetEntity: String?
    /// The number of the declared destination entity.
    let destination: Int
  }

  /// What stands for a to-many relationship.
  enum ToMany: Sendable, Hashable {
    /// A to-one's columns in the destination's table: the inverse's, or hidden ones.
    case key(String, targetEntity: String?, order: String?, destination: Int)
    /// A join table, by its position in ``StoreSchema/joinTables``; `isOwner` tells the side.
    case join(Int, isOwner: Bool, destination: Int)
  }

  /// The entity's number, `Z_ENT`, counted from 1.
  package let number: Int
  /// The number of the last entity below this one; its own when it has no subentities. The numbers
  /// of an entity and all those below are a range.
  var lastNumber: Int
  /// The number of the parent, or 0.
  package let parentNumber: Int
  /// The number of the entity at the top of the hierarchy.
  let rootNumber: Int
  /// The entity itself.
  package let description: NSEntityDescription
  /// The table, shared by the hierarchy.
  package let table: String
  /// For each stored attribute, own or inherited, its column. Elements of composite attributes are
  /// under their paths, joined by dots.
  var attributes: [String: String] = [:]
  /// For each stored to-one relationship, own or inherited, its columns.
  var toOnes: [String: ToOne] = [:]
  /// For each stored to-many relationship, own or inherited, what stands for it.
  var toManys: [String: ToMany] = [:]

  /// The entity's name.
  package var name: String { description.name ?? "" }
  /// The numbers of the entity and all those below it.
  var numbers: ClosedRange<Int> { number...lastNumber }
  /// Whether the entity has subentities.
  var hasSubentities: Bool { lastNumber > number }
}
