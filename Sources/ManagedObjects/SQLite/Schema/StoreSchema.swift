import DataModels
import Foundation

/// The schema of a SQLite store: Core Data's tables and columns for a model.
///
/// ```swift
/// let schema = try StoreSchema(model: model)
/// for statement in schema.statements { print(statement) }
/// schema["Person"]?.attributes["name"]  // "ZNAME"
/// ```
///
/// Entity numbers and names depend on the whole model: a configuration doesn't change them.
package struct StoreSchema: Sendable {
  /// The framework version of the schema.
  let version: FrameworkVersion
  /// The entities in numerical order; entity n is at index n − 1.
  package let entities: [SchemaEntity]
  /// The entity tables, ordered by entity.
  let tables: [SchemaTable]
  /// The tables of many-to-many relationships.
  let joinTables: [JoinTable]

  private let numbers: [String: Int]
  private let tablesByName: [String: Int]

  /// Creates the schema of `model` for a framework version.
  ///
  /// - Throws: ``SchemaError`` for a relationship without a destination.
  package init(
    model: NSManagedObjectModel, version: FrameworkVersion = .current
  ) throws(SchemaError) {
    let builder = SchemaBuilder(model: model, version: version)
    try builder.build()
    self.version = version
    entities = builder.entities
    tables = builder.tables
    joinTables = builder.joinTables
    numbers = builder.numbers
    tablesByName = Dictionary(
      tables.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The entity with a name.
  subscript(name: String) -> SchemaEntity? {
    numbers[name].map { entities[$0 - 1] }
  }

  /// The entity with a number.
  subscript(number number: Int) -> SchemaEntity? {
    entities.indices.contains(number &- 1) ? entities[number &- 1] : nil
  }

  /// Whether all rows of an entity's table are of one entity. As in Core Data, their entity numbers aren't read then.
  func isAlone(_ entity: SchemaEntity) -> Bool {
    (self[number: entity.rootNumber] ?? entity).numbers.count == 1
  }

  /// SQL for the entity number of a row of an entity's table.
  func entityNumber(of entity: SchemaEntity, column: String) -> String {
    isAlone(entity) ? String(entity.number) : column
  }

  /// The condition that a row of an entity's table is of the entity or one of its subentities.
  func isKind(of entity: SchemaEntity, column: String) -> String {
    isAlone(entity) ? "1" : "\(column) BETWEEN \(entity.number) AND \(entity.lastNumber)"
  }

  /// The entity table with a name.
  func table(_ name: String) -> SchemaTable? {
    tablesByName[name].map { tables[$0] }
  }

  /// The column with a row's position in the ordered inverse of a to-one relationship of its entity; nil if there is
  /// none.
  func orderColumn(of toOne: String, in entity: SchemaEntity) -> String? {
    table(entity.table)?.columns.first {
      $0.content == .orderKey(relationship: toOne) && $0.entityNumber <= entity.number
        && entity.number <= (self[number: $0.entityNumber]?.lastNumber ?? 0)
    }?.name
  }
}

/// Options in a model's user info.
enum SchemaOptions {
  /// Whether a user info value means true: `1`, `YES` or `true`, as text or number.
  static func isOn(_ value: Any?) -> Bool {
    switch value {
    case let text as String: ["1", "yes", "true", "y"].contains(text.lowercased())
    case let flag as Bool: flag
    case let number as NSNumber: number.boolValue
    default: false
    }
  }
}

/// The statements that create an empty store.
extension StoreSchema {
  /// The tables in every store, whatever its model.
  static let bookkeepingTables = [
    """
    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, \
    Z_MAX INTEGER)
    """,
    "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
  ]

  /// The table that contains a copy of the model.
  static let modelCacheTable = "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)"

  /// All statements that create the empty tables, in executable order: entity tables and join tables, indexes,
  /// triggers, bookkeeping.
  package var statements: [String] {
    SchemaNames.inOrder(tables, \.name).map(\.createStatement)
      + joinTables.map(\.createStatement)
      + indexes.map(\.statement)
      + rTrees.map(\.statement)
      + (triggers + rTreeTriggers).map(\.statement)
      + Self.bookkeepingTables
      + (version.hasModelCache ? [Self.modelCacheTable] : [])
  }
}

/// The reason why a model has no schema.
package struct SchemaError: Error, Sendable, CustomStringConvertible {
  /// The entity concerned.
  let entity: String
  /// The property concerned, if any.
  let property: String?
  /// The description of the problem.
  let problem: String

  package var description: String {
    "\(entity)\(property.map { "." + $0 } ?? ""): \(problem)"
  }
}
