@_spi(Engines) import MomKit
import RelationalSchemas

/// An entity's representation in the store's tables.
final class EntityTable {
  /// A value with a column in the entity's table.
  struct Slot {
    let property: PropertyLayout
    let column: RelationalColumn
    /// The quoted name of the column.
    let name: String
    /// The number of characters of the column's strings that its index contains, or nil if there is no index, or it
    /// contains whole values.
    let indexedLength: Int?
  }

  let layout: EntityLayout
  let entity: RelationalEntity
  let table: RelationalTable
  /// The quoted name of the table.
  let name: String
  /// The values that have columns, in slot order.
  let slots: [Slot]
  /// The index in ``slots`` for each of the entity's slots, or nil if it has no column.
  let places: [Int?]

  init(_ layout: EntityLayout, _ entity: RelationalEntity, _ schema: RelationalSchema) {
    self.layout = layout
    self.entity = entity
    let table = schema.tables[entity.table]
    self.table = table
    name = SQL.quoted(table.name)
    var slots: [Slot] = []
    var places: [Int?] = []
    for property in layout.values {
      guard !property.isTransient, let column = entity.columns[property.name] else {
        places.append(nil)
        continue
      }
      places.append(slots.count)
      let found = table.columns[column]
      // An index that begins with the column, rather than another that contains it.
      let index =
        table.indexes.first { $0.columns.first?.name == found.name }
        ?? table.indexes.first { $0.columns.contains { $0.name == found.name } }
      slots.append(
        Slot(
          property: property, column: found, name: SQL.quoted(found.name),
          indexedLength: index.flatMap { table.indexedLength(of: found, in: $0) }))
    }
    (self.slots, self.places) = (slots, places)
  }

  /// Returns the slot of an attribute or to-one relationship.
  func slot(_ property: String) -> Slot? {
    layout.property(property).flatMap { $0.isOfValues ? places[$0.slot] : nil }.map { slots[$0] }
  }

  /// Returns the label of a row's entity, as text.
  func label(_ alias: String) -> String {
    table.entityType == nil ? SQL.label(layout.root.name) : "\(alias).\(SQL.entity)::text"
  }

  /// Returns the condition that limits the table to the entity's rows, or nil if all are.
  func condition(_ alias: String, includesSubentities: Bool = true) -> String? {
    guard table.entityType != nil else { return nil }
    let names =
      includesSubentities ? entity.rowEntities : entity.rowEntities.filter { $0 == layout.name }
    if names.count == table.entityNames.count { return nil }
    let list = names.map(SQL.label).joined(separator: ", ")
    return names.isEmpty
      ? "FALSE" : "\(alias).\(SQL.entity) IN (\(list))"
  }
}

/// A store's tables, by the layouts of the model that it was opened with.
final class StoreTables {
  let schema: RelationalSchema
  let layouts: ModelLayout
  private var byLayout: [ObjectIdentifier: EntityTable] = [:]
  private var shapes: [ShapeKey: RowShape] = [:]

  private struct ShapeKey: Hashable {
    let layout: ObjectIdentifier
    let includesSubentities: Bool
  }

  init(_ schema: RelationalSchema, _ layouts: ModelLayout) {
    (self.schema, self.layouts) = (schema, layouts)
    for layout in layouts.entities {
      guard let entity = schema.entities[layout.name] else { continue }
      byLayout[ObjectIdentifier(layout)] = EntityTable(layout, entity, schema)
    }
  }

  /// Creates the URL's schema unless it exists: `IF NOT EXISTS` alone would demand the privilege to create schemas even
  /// for one that an administrator has made.
  static func makeSchema(_ connection: PostgreSQLConnection) throws {
    guard let name = connection.target.schema else { return }
    var parameters = PostgreSQLParameters()
    parameters.append(name)
    var isThere = false
    try connection.run(
      PostgreSQLConnection.Statement("SELECT 1 FROM pg_namespace WHERE nspname = $1", parameters)
    ) { _ in isThere = true }
    guard !isThere else { return }
    try connection.execute("CREATE SCHEMA IF NOT EXISTS \(SQL.quoted(name))")
  }

  /// Refuses tables with the names of PostgreSQL's own, which statements would refer to instead, or of those that every
  /// store has.
  static func requireFreeNames(
    _ schema: RelationalSchema, _ connection: PostgreSQLConnection
  ) throws {
    let names = schema.tables.map(\.name) + schema.joinTables.map(\.name)
    let ours = HistoryTables.names + [StoreRecord.name]
    var taken = names.filter(ours.contains)
    var parameters = PostgreSQLParameters()
    parameters.append(texts: names)
    try connection.run(
      PostgreSQLConnection.Statement(
        "SELECT relname::text FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace "
          + "AND relname = ANY ($1) ORDER BY relname", parameters)
    ) { taken.append($0.text(0)) }
    guard taken.isEmpty else {
      throw PostgreSQLStore.error(
        NSPersistentStoreIncompatibleSchemaError,
        "A PostgreSQL store can't have tables of the names \(taken.joined(separator: ", ")), which are those of "
          + "tables that PostgreSQL or every store has: rename the entities or relationships.")
    }
  }

  /// Returns an entity's table.
  ///
  /// - Throws: an error if the entity isn't in the store's configuration.
  func table(_ layout: EntityLayout) throws -> EntityTable {
    if let known = byLayout[ObjectIdentifier(layout)] { return known }
    throw PostgreSQLStore.error(
      NSPersistentStoreIncompatibleSchemaError,
      "The store has no table for the entity '\(layout.name)'.")
  }

  /// Returns the table of the entity with the given name.
  func table(named name: String) -> EntityTable? { layouts[name].flatMap { try? table($0) } }

  /// Returns how to read rows of an entity.
  func shape(_ layout: EntityLayout, includesSubentities: Bool = true) throws -> RowShape {
    let key = ShapeKey(
      layout: ObjectIdentifier(layout), includesSubentities: includesSubentities)
    if let known = shapes[key] { return known }
    let shape = try RowShape(table(layout), includesSubentities, self)
    shapes[key] = shape
    return shape
  }
}

extension EntityLayout {
  /// What stands for the entity in the column of rows' entities.
  var label: String { SQLDialect.postgreSQL.label(of: name) }
}

extension ModelLayout {
  /// Returns the entity that a label stands for.
  func entity(labeled label: String) -> EntityLayout? {
    // Few names are so long that their labels differ.
    self[label] ?? entities.first { $0.label == label }
  }
}

/// Fragments of SQL.
enum SQL {
  static let key = quoted(RelationalTable.keyColumn)
  static let version = quoted(RelationalTable.versionColumn)
  static let entity = quoted(RelationalTable.entityColumn)

  static func quoted(_ name: String) -> String { SQLDialect.postgreSQL.quoted(name) }
  static func literal(_ text: String) -> String { SQLDialect.postgreSQL.literal(text) }
  /// Returns the literal for an entity in the column of rows' entities.
  static func label(_ entity: String) -> String {
    literal(SQLDialect.postgreSQL.label(of: entity))
  }
}
