import DataModels

/// The tables of a relational database that represent a model, named after its entities and properties.
///
/// There is one table for each entity hierarchy, named after its root entity; one column for each attribute and
/// to-one relationship of any entity in the hierarchy; and one join table for each many-to-many relationship and each
/// to-many relationship without an inverse. ``statements(in:)`` returns the SQL that creates them.
///
/// ```swift
/// let schema = RelationalSchema(model: model)
/// print(schema.script(in: .postgreSQL))
/// ```
///
/// PostgreSQL stores use this layout. Core Data's SQLite stores have a different one, which Core Data prescribes.
public struct RelationalSchema: Sendable, Equatable {
  /// The tables, sorted by name.
  public internal(set) var tables: [RelationalTable] = []
  /// The join tables, sorted by name.
  public internal(set) var joinTables: [RelationalJoinTable] = []
  /// The location of each entity's rows and values, by entity name.
  public internal(set) var entities: [String: RelationalEntity] = [:]

  /// Creates the schema for a model.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - entityNames: the names of the entities to include, for example those of a configuration; nil for all.
  public init(model: NSManagedObjectModel, entityNames: Set<String>? = nil) {
    var builder = RelationalSchemaBuilder(model: model, entityNames: entityNames)
    self = builder.build()
  }

  init() {}

  /// Returns an entity's table.
  public func table(of entity: RelationalEntity) -> RelationalTable { tables[entity.table] }
}

/// The location of an entity's rows and values.
public struct RelationalEntity: Sendable, Equatable {
  /// The entity's name.
  public let name: String
  /// The index of its table in ``RelationalSchema/tables``.
  public let table: Int
  /// The names of the concrete entities whose rows are rows of this entity: its own and those of its subentities.
  public internal(set) var rowEntities: [String] = []
  /// The index of the column of each attribute and to-one relationship, including inherited ones.
  public internal(set) var columns: [String: Int] = [:]
  /// How each to-many relationship is represented, including inherited ones.
  public internal(set) var toManys: [String: RelationalToMany] = [:]
}

/// How a to-many relationship is represented.
public enum RelationalToMany: Sendable, Equatable {
  /// By columns of the destination's table, given by index: one for the owner's key and, if the relationship is
  /// ordered, one for the members' positions.
  case key(table: Int, column: Int, position: Int?)
  /// By a join table, given by its index in ``RelationalSchema/joinTables``; `isOwner` is the relationship's side of
  /// it.
  case join(Int, isOwner: Bool)
}

/// A table of pairs of keys.
public struct RelationalJoinTable: Sendable, Equatable {
  /// The table's name.
  public let name: String
  /// The name of the index by which a member's owners are found.
  public let backIndex: String
  /// The column with the owners' keys. The table is named after the owner's relationship.
  public let ownerColumn: String
  /// The column with the members' keys.
  public let memberColumn: String
  /// The owners' table.
  public let ownerTable: String
  /// The members' table.
  public let memberTable: String
  /// The column with the positions of an owner's members, or nil if they aren't ordered.
  public let memberPosition: String?
  /// The column with the positions of a member's owners, or nil if they aren't ordered.
  public let ownerPosition: String?
  /// Whether the relationship is its own inverse. Each pair then has a second row in the opposite direction.
  public let isReflexive: Bool

  /// Returns the column with the keys of one side.
  public func ownColumn(isOwner: Bool) -> String { isOwner ? ownerColumn : memberColumn }
  /// Returns the column with the keys of the other side.
  public func otherColumn(isOwner: Bool) -> String { isOwner ? memberColumn : ownerColumn }
  /// Returns the column with the positions of one side's members.
  public func position(isOwner: Bool) -> String? { isOwner ? memberPosition : ownerPosition }
}
