import DataModels
import Foundation

/// A model reconstructed from a store's file, for stores without a copy of their model: entities and their hierarchy
/// from `Z_PRIMARYKEY`, attributes from columns, relationships from the names and contents of columns and join
/// tables.
///
/// The model's schema matches the store's own tables, so that rows can be read with it. Names are lowercased, because
/// columns don't preserve case, except those that wouldn't lead back to their columns. The meaning of an integer column
/// (a number, a Boolean, or an object whose table can't be determined) remains unknown, and it becomes a number. All
/// properties of a hierarchy belong to its root entity.
package struct GuessedModel {
  /// The model.
  package let model: NSManagedObjectModel

  private struct Entity {
    let number: Int
    let name: String
    let parent: Int
    let description: NSEntityDescription
    var properties: [NSPropertyDescription] = []
  }

  private struct Column {
    let name: String
    let type: String
  }

  private let connection: SQLiteConnection
  /// The entities, by number.
  private var entities: [Int: Entity] = [:]

  /// Reads a store's file, without changing it or its folder.
  ///
  /// - Throws: `ModelFileError` if it isn't a Core Data store, or if its entities' numbers don't follow from their
  ///   names.
  package init(of url: URL) throws {
    do {
      self = try SQLiteConnection.inspecting(url, isTolerant: true) {
        try GuessedModel(reading: $0)
      }
    } catch let error as SQLiteError {
      throw ModelFileError(
        error.isDamage ? .malformed : .unreadable, "SQLite: \(error.message)",
        path: url.relativePath)
    }
    let schema = try? StoreSchema(model: model)
    guard let schema, entities.values.allSatisfy({ schema[$0.name]?.number == $0.number }) else {
      throw ModelFileError(
        .malformed,
        "the store's entity numbers don't match the order of their names; specify the model",
        path: url.relativePath)
    }
  }

  private init(reading connection: SQLiteConnection) throws {
    self.connection = connection
    model = NSManagedObjectModel()
    try readEntities()
    for entity in entities.values where entity.parent == 0 { try readColumns(of: entity) }
    try readJoinTables()
    finish()
  }

  // MARK: Entities

  /// The first number of Core Data's own entities, such as those of history.
  private static let firstOwnNumber = 16_000

  private mutating func readEntities() throws {
    entities = try connection.withStatement(
      "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT"
    ) { row in
      var entities: [Int: Entity] = [:]
      while try row.step() {
        let number = Int(truncatingIfNeeded: row.integer(at: 0))
        guard let name = row.text(at: 1), !name.isEmpty, (1..<Self.firstOwnNumber).contains(number)
        else { continue }
        entities[number] = Entity(
          number: number, name: name, parent: Int(truncatingIfNeeded: row.integer(at: 2)),
          description: NSEntityDescription(name: name, className: nil, isAbstract: false))
      }
      return entities
    }
  }

  private func table(of entity: Entity) -> String { "Z" + entity.name.uppercased() }

  private func root(of number: Int) -> Entity? {
    var current = entities[number]
    // In a damaged file parents may form a cycle.
    for _ in 0..<entities.count {
      guard let entity = current, entity.parent != 0 else { return current }
      current = entities[entity.parent]
    }
    return nil
  }

  private func columns(of table: String) throws -> [Column] {
    try connection.withStatement("SELECT name, upper(type) FROM pragma_table_info(?)") { row in
      try row.bind(table, at: 1)
      var columns: [Column] = []
      while try row.step() {
        columns.append(Column(name: row.text(at: 0) ?? "", type: row.text(at: 1) ?? ""))
      }
      return columns
    }
  }

  // MARK: Columns

  private mutating func readColumns(of entity: Entity) throws {
    let table = table(of: entity)
    let columns = try columns(of: table)
    let names = Set(columns.map(\.name))
    var destinations: [String: Int] = [:]
    var ordered: Set<String> = []
    for column in columns {
      // "Z3_OWNER" says that "ZOWNER" refers to entity 3 or a subentity of it.
      if let (number, rest) = Self.numbered(column.name, after: "Z"), rest.hasPrefix("_"),
        names.contains("Z" + rest.dropFirst()), entities[number] != nil
      {
        destinations["Z" + rest.dropFirst()] = number
      }
      if column.name.hasPrefix("Z_FOK_") { ordered.insert("Z" + column.name.dropFirst(6)) }
    }
    for column in columns
    where column.name.hasPrefix("Z") && !column.name.hasPrefix("Z_") {
      if let (number, rest) = Self.numbered(column.name, after: "Z") {
        guard !rest.hasPrefix("_"), let owner = entities[number] else { continue }
        addHidden(rest, from: owner, to: entity, isOrdered: ordered.contains(column.name))
        continue
      }
      let capitals = column.name.dropFirst()
      if column.type == "INTEGER",
        let target = try destinations[column.name] ?? target(of: column, table)
      {
        addToOne(
          Self.relationshipName(capitals), from: entity, to: target,
          isOrdered: ordered.contains(column.name))
      } else {
        let name = Self.name(capitals, capitalized: SchemaNames.attributeCapitals)
        try addAttribute(name, column, table, to: entity)
      }
    }
  }

  /// The name in lowercase, if it leads back to these capitals, or else the capitals themselves: `İ` is two characters in
  /// lowercase, and SQLite doesn't take the capitals of these for an `İ`.
  private static func name(
    _ capitals: some StringProtocol, capitalized: (String) -> String
  ) -> String {
    let name = capitals.lowercased()
    let back = SchemaNames.folded(capitalized(name))
    // Swift's `==` takes different spellings of a character for equal.
    return back.utf8.elementsEqual(SchemaNames.folded(String(capitals)).utf8)
      ? name : String(capitals)
  }

  private static func relationshipName(_ capitals: some StringProtocol) -> String {
    name(capitals) { $0.uppercased() }
  }

  /// The number after a prefix of a name, and the rest of the name.
  private static func numbered(
    _ name: String, after prefix: String
  ) -> (number: Int, rest: String)? {
    guard name.hasPrefix(prefix) else { return nil }
    let tail = name.dropFirst(prefix.count)
    let digits = tail.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int(digits) else { return nil }
    return (number, String(tail.dropFirst(digits.count)))
  }

  private mutating func addAttribute(
    _ name: String, _ column: Column, _ table: String, to entity: Entity
  ) throws {
    var flags: PropertyFlags = [.optional]
    let type: NSAttributeType
    switch column.type {
    case "INTEGER": type = .integer64AttributeType
    case "FLOAT": type = .doubleAttributeType
    case "DECIMAL": type = .decimalAttributeType
    case "TIMESTAMP": type = .dateAttributeType
    case "BLOB":
      let holds = try blobs(column, table)
      type = holds.areUUIDs ? .UUIDAttributeType : .binaryDataAttributeType
      if holds.areTagged { flags.insert(.allowsExternalBinaryDataStorage) }
    default: type = .stringAttributeType
    }
    entities[entity.number]?.properties.append(
      NSAttributeDescription(name: name, flags: flags, type: type, defaultValue: .none))
  }

  /// The likely content of a BLOB column, judged by its first values: UUIDs have 16 bytes, and values that may be
  /// external start with 1, or with 2 and a file name.
  private func blobs(_ column: Column, _ table: String) throws -> (areUUIDs: Bool, areTagged: Bool)
  {
    let quoted = SQLLiteral.name(column.name)
    return try connection.withStatement(
      "SELECT count(*), sum(length(v) = 16), "
        + "sum(substr(v, 1, 1) = x'01' OR substr(v, 1, 1) = x'02' AND length(v) = 38) "
        + "FROM (SELECT \(quoted) v FROM \(SQLLiteral.name(table)) WHERE \(quoted) IS NOT NULL LIMIT 1000)"
    ) { row in
      guard try row.step(), row.integer(at: 0) > 0 else { return (false, false) }
      let count = row.integer(at: 0)
      return (row.integer(at: 1) == count, row.integer(at: 2) == count)
    }
  }

  // MARK: Relationships

  /// The entity that an integer column refers to, if the column has the kind of index used for foreign keys, and all
  /// of its values are keys of a single table; otherwise nil.
  private func target(of column: Column, _ table: String) throws -> Int? {
    let index = "\(table)_\(column.name)_INDEX"
    guard
      try connection.withStatement(
        "SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = ?",
        { row in
          try row.bind(index, at: 1)
          return try row.step()
        })
    else { return nil }
    let name = column.name.dropFirst().lowercased()
    let roots = entities.values.filter { $0.parent == 0 }.sorted { $0.number < $1.number }
    let fitting = try roots.filter { try holdsKeys(column, table, of: self.table(of: $0)) }
    let alike = fitting.filter {
      let entity = $0.name.lowercased()
      return name == entity || name.hasSuffix(entity) || entity.hasSuffix(name)
    }
    guard let root = alike.count == 1 ? alike.first : fitting.count == 1 ? fitting.first : nil
    else { return nil }
    return try leaf(column, table, below: root)
  }

  /// The only entity of a hierarchy whose objects a column refers to; nil if there are several. A reference to an
  /// entity with subentities has an entity column and isn't handled here.
  private func leaf(_ column: Column, _ table: String, below root: Entity) throws -> Int? {
    let parents = Set(entities.values.map(\.parent))
    guard parents.contains(root.number) else { return root.number }
    let name = SQLLiteral.name(column.name)
    return try connection.withStatement(
      "SELECT DISTINCT Z_ENT FROM \(SQLLiteral.name(self.table(of: root))) WHERE Z_PK IN "
        + "(SELECT \(name) FROM \(SQLLiteral.name(table)) WHERE \(name) IS NOT NULL) LIMIT 2"
    ) { row in
      var numbers: [Int] = []
      while try row.step() { numbers.append(Int(truncatingIfNeeded: row.integer(at: 0))) }
      guard numbers.count == 1, let number = numbers.first, entities[number] != nil,
        !parents.contains(number)
      else { return nil }
      return number
    }
  }

  /// Whether a column has values, and all of them are keys of a table.
  private func holdsKeys(_ column: Column, _ table: String, of other: String) throws -> Bool {
    let (name, source) = (SQLLiteral.name(column.name), SQLLiteral.name(table))
    guard try columns(of: other).contains(where: { $0.name == "Z_PK" }),
      try connection.integer("SELECT 1 FROM \(source) WHERE \(name) IS NOT NULL LIMIT 1") != nil
    else { return false }
    return try connection.integer(
      "SELECT 1 FROM \(source) WHERE \(name) IS NOT NULL "
        + "AND \(name) NOT IN (SELECT Z_PK FROM \(SQLLiteral.name(other))) LIMIT 1") == nil
  }

  private mutating func addToOne(
    _ name: String, from entity: Entity, to number: Int, isOrdered: Bool
  ) {
    guard let target = entities[number] else { return }
    let toOne = Self.relationship(name, to: target, isToMany: false)
    // The name of the other side isn't recorded in any column.
    let inverse = Self.relationship(
      "\(entity.name.lowercased())_\(name)", to: entity, isToMany: true, isOrdered: isOrdered)
    toOne.storedInverse = inverse
    inverse.storedInverse = toOne
    entities[entity.number]?.properties.append(toOne)
    entities[number]?.properties.append(inverse)
  }

  private mutating func addHidden(
    _ capitals: String, from owner: Entity, to entity: Entity, isOrdered: Bool
  ) {
    entities[owner.number]?.properties.append(
      Self.relationship(
        Self.relationshipName(capitals), to: entity, isToMany: true, isOrdered: isOrdered))
  }

  private static func relationship(
    _ name: String, to target: Entity, isToMany: Bool, isOrdered: Bool = false
  ) -> NSRelationshipDescription {
    var flags: PropertyFlags = [.optional]
    if isOrdered { flags.insert(.ordered) }
    let relationship = NSRelationshipDescription(
      name: name, flags: flags, maxCount: isToMany ? 0 : 1, minCount: 0,
      deleteRule: .nullifyDeleteRule)
    relationship.storedDestination = target.description
    return relationship
  }

  /// Reads tables such as `Z_1MEMBERS` with the columns `Z_1CLUBS` and `Z_4MEMBERS`: the members of entity 1, which
  /// belong to entity 4 and have clubs.
  private mutating func readJoinTables() throws {
    let tables = try connection.withStatement(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*' ORDER BY name"
    ) { row in
      var names: [String] = []
      while try row.step() { names.append(row.text(at: 0) ?? "") }
      return names
    }
    for table in tables {
      guard let (number, capitals) = Self.numbered(table, after: "Z_"), let owner = entities[number]
      else { continue }
      let names = try columns(of: table).map(\.name)
      let keys = names.compactMap { Self.numbered($0, after: "Z_") }
      let relationship = Self.relationship(
        Self.relationshipName(capitals), to: owner, isToMany: true,
        isOrdered: names.contains { $0.hasPrefix("Z_FOK_") && $0.hasSuffix(capitals) }
          || names.contains("Z_FOK_REFLEXIVE"))
      if names.contains("REFLEXIVE") {
        relationship.storedInverse = relationship
        entities[number]?.properties.append(relationship)
        continue
      }
      guard let far = keys.first(where: { $0.rest == capitals }),
        let near = keys.first(where: { $0.number == number && $0.rest != capitals })
          ?? keys.last(where: { $0.number == number }),
        let target = entities[far.number]
      else { continue }
      relationship.storedDestination = target.description
      let inverse = Self.relationship(
        Self.relationshipName(near.rest), to: owner, isToMany: true,
        isOrdered: names.contains { $0 == "Z_FOK_\(number)\(near.rest)" })
      relationship.storedInverse = inverse
      inverse.storedInverse = relationship
      entities[number]?.properties.append(relationship)
      entities[far.number]?.properties.append(inverse)
    }
  }

  // MARK: The model

  private func finish() {
    for entity in entities.values {
      var seen: Set<String> = []
      entity.description.setOwnProperties(
        entity.properties.filter { seen.insert($0.name).inserted })
    }
    let sorted = entities.values.sorted { $0.number < $1.number }
    for (parent, children) in Dictionary(grouping: sorted, by: \.parent) where parent != 0 {
      entities[parent]?.description.setSubentitiesUnchecked(children.map(\.description))
    }
    // Entities whose parents form a cycle are left out.
    model.setEntitiesUnchecked(sorted.filter { root(of: $0.number) != nil }.map(\.description))
  }
}
