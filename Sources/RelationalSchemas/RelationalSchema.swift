import DataModels

/// Tables of a relational database for a model, by the model's own names.
///
/// One table for each hierarchy of entities, named after the entity at its top; a column for each attribute and each
/// to-one relationship of any of its entities; a table of pairs for each many-to-many relationship, and for each
/// to-many one without inverse. ``statements(in:)`` gives the SQL that makes them.
///
/// ```swift
/// let schema = RelationalSchema(model: model)
/// print(schema.script(in: .postgreSQL))
/// ```
///
/// This is the layout of PostgreSQL stores. SQLite files of Core Data have another one, which Core Data prescribes.
public struct RelationalSchema: Sendable, Equatable {
  /// The tables, in the order of their names.
  public internal(set) var tables: [RelationalTable] = []
  /// The tables of pairs, in the order of their names.
  public internal(set) var joinTables: [RelationalJoinTable] = []
  /// Where each entity's rows and values lie, by the entity's name.
  public internal(set) var entities: [String: RelationalEntity] = [:]

  /// Lays a model out.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - entityNames: the entities that are wanted, as of a configuration; nil for all.
  public init(model: NSManagedObjectModel, entityNames: Set<String>? = nil) {
    var builder = RelationalSchemaBuilder(model: model, entityNames: entityNames)
    self = builder.build()
  }

  init() {}

  /// The table of an entity.
  public func table(of entity: RelationalEntity) -> RelationalTable { tables[entity.table] }
}

/// Where an entity's rows and values lie.
public struct RelationalEntity: Sendable, Equatable {
  /// The entity's name.
  public let name: String
  /// The position of its table in ``RelationalSchema/tables``.
  public let table: Int
  /// The names of the entities whose rows are rows of this one: its own and those below it, without abstract ones.
  public internal(set) var rowEntities: [String] = []
  /// For each attribute and each to-one relationship, own or inherited, the position of its column.
  public internal(set) var columns: [String: Int] = [:]
  /// For each to-many relationship, own or inherited, what stands for it.
  public internal(set) var toManys: [String: RelationalToMany] = [:]
}

/// What stands for a to-many relationship.
public enum RelationalToMany: Sendable, Equatable {
  /// A column of the destination's table with the owner's key, and one with the members' positions: their positions in
  /// the table.
  case key(table: Int, column: Int, position: Int?)
  /// A table of pairs, by its position in ``RelationalSchema/joinTables``; `isOwner` tells the side.
  case join(Int, isOwner: Bool)
}

/// A table of pairs of rows.
public struct RelationalJoinTable: Sendable, Equatable {
  /// Its name.
  public let name: String
  /// The column with the keys of the side that the table is named after.
  public let ownerColumn: String
  /// The column with the keys of that side's members.
  public let memberColumn: String
  /// The owner's table.
  public let ownerTable: String
  /// The members' table.
  public let memberTable: String
  /// The column with the positions of an owner's members, where they are ordered.
  public let memberPosition: String?
  /// The column with the positions of a member's owners, where they are ordered.
  public let ownerPosition: String?
  /// Whether the relationship is its own inverse: of each pair there is another row the other way round.
  public let isReflexive: Bool

  /// The column with the keys of one side.
  public func ownColumn(isOwner: Bool) -> String { isOwner ? ownerColumn : memberColumn }
  /// The column with the keys of the other side.
  public func otherColumn(isOwner: Bool) -> String { isOwner ? memberColumn : ownerColumn }
  /// The column with the positions of one side's members.
  public func position(isOwner: Bool) -> String? { isOwner ? memberPosition : ownerPosition }
}
