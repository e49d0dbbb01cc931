import DataModels
import Foundation

/// SQL views that show a store's tables with the model's names.
///
/// There is a view for each entity, including its subentities' objects, and one for each many-to-many relationship.
/// Dates and UUIDs are shown as text, Booleans as 0 and 1, and a to-one relationship as its object's key.
package struct StoreViews {
  private let schema: StoreSchema
  /// The names in use, lowercased: SQLite ignores case.
  private var taken: Set<String> = []

  /// Creates the views of a model.
  package init(model: NSManagedObjectModel, framework: Int?) throws {
    schema = try StoreSchema(
      model: model, version: FrameworkVersion(recorded: framework))
    let tables = schema.tables.map(\.name) + schema.joinTables.map(\.name)
    taken = Set(tables.map { $0.lowercased() })
  }

  /// The statements that create the views, sorted by entity name.
  package var statements: [String] {
    var views = self
    let entities = schema.entities.sorted { NameOrder.precedes($0.name, $1.name) }
    var statements: [String] = []
    for entity in entities { statements.append(views.view(of: entity)) }
    for entity in entities {
      for (name, storage) in entity.toManys.sorted(by: { NameOrder.precedes($0.key, $1.key) }) {
        guard case .join(let index, let isOwner, let destination) = storage,
          entity.description.superentity?.propertiesByName[name] == nil
        else { continue }
        let join = schema.joinTables[index]
        // Both directions have the same rows; only the side that the table is named after shows them.
        guard isOwner || join.isReflexive, let target = schema[number: destination] else {
          continue
        }
        statements.append(views.view(of: name, from: entity, to: target, by: join))
      }
    }
    return statements
  }

  // MARK: Entities

  private mutating func view(of entity: SchemaEntity) -> String {
    var names: Set<String> = []
    var columns: [String] = []
    func add(_ expression: String, _ name: String) {
      var unique = name
      // SQLite treats names that differ only in case as the same.
      while !names.insert(unique.lowercased()).inserted { unique += "_" }
      columns.append("\(expression) AS \(SQLLiteral.name(unique))")
    }
    add("Z_PK", "@key")
    if entity.hasSubentities {
      let cases = schema.entities[(entity.number - 1)..<entity.lastNumber].map {
        "WHEN \($0.number) THEN \(SQLLiteral.text($0.name))"
      }
      add("CASE Z_ENT \(cases.joined(separator: " ")) END", "@entity")
    }
    for (path, column) in entity.attributes.sorted(by: { NameOrder.precedes($0.key, $1.key) }) {
      add(entity.attributeType(path)?.shown(column) ?? column, path)
    }
    for (name, toOne) in entity.toOnes.sorted(by: { NameOrder.precedes($0.key, $1.key) }) {
      add(toOne.key, name)
    }
    var rows = entity.table
    if entity.hasSubentities {
      rows += " WHERE Z_ENT BETWEEN \(entity.number) AND \(entity.lastNumber)"
    } else if !entity.hasOwnTable {
      rows += " WHERE \(entity.ownRows())"
    }
    return "CREATE VIEW \(SQLLiteral.name(viewName(entity.name))) AS SELECT "
      + "\(columns.joined(separator: ", ")) FROM \(rows)"
  }

  // MARK: Relationships

  private mutating func view(
    of name: String, from entity: SchemaEntity, to target: SchemaEntity, by join: JoinTable
  ) -> String {
    let other = target.name == entity.name ? "\(target.name) of \(name)" : target.name
    var columns = [
      "\(join.ownerKey) AS \(SQLLiteral.name(entity.name))",
      "\(join.inverseKey) AS \(SQLLiteral.name(other))",
    ]
    if let order = join.inverseOrder { columns.append("\(order) AS \"@position\"") }
    return "CREATE VIEW \(SQLLiteral.name(viewName("\(entity.name).\(name)"))) AS SELECT "
      + "\(columns.joined(separator: ", ")) FROM \(join.name)"
  }

  private mutating func viewName(_ name: String) -> String {
    var unique = name
    while !taken.insert(unique.lowercased()).inserted { unique += "_" }
    return unique
  }
}

extension StoreViews {
  /// Copies a store's file, including its unmerged content, and creates the views in the copy.
  ///
  /// The store isn't changed; external files aren't copied. The copy is created atomically.
  ///
  /// - Throws: a SQLite error, or a file system error if the copy already exists.
  package func write(copyOf url: URL, to copy: URL) throws {
    let files = FileManager.default
    let draft = copy.deletingLastPathComponent()
      .appendingPathComponent(".\(copy.lastPathComponent).\(UUID().uuidString)")
    defer {
      for suffix in ["", "-journal", "-wal", "-shm"] {
        try? files.removeItem(atPath: draft.path + suffix)
      }
    }
    do {
      let target = try SQLiteConnection(writing: draft, creation: .ifMissing)
      try SQLiteConnection.following(url, waits: true) { source in
        _ = try target.replaceContents(with: source)
      }
      // A single file without companions: there are no other connections to the copy.
      try target.execute("PRAGMA journal_mode=delete")
      try target.transaction(.immediate) {
        for statement in statements { try target.execute(statement) }
      }
    }
    try files.moveItem(at: draft, to: copy)
  }
}
