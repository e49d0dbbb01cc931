import DataModels
import Foundation

/// Checks of rows and their values.
extension StoreCheck {
  mutating func checkRows() throws {
    for table in schema.tables where has(table.name, "Z_PK", "Z_ENT", "Z_OPT") {
      guard let root = schema[number: table.rootNumber] else { continue }
      let concrete = schema.entities[(root.number - 1)..<root.lastNumber]
        .filter { !$0.description.isAbstract }.map { "\($0.number)" }
      try addRows(
        .entityNumber, in: root.name,
        "the row's entity number is that of no concrete entity of its table",
        sql: "SELECT Z_PK FROM \(table.name) WHERE Z_ENT IS NULL "
          + "OR Z_ENT NOT IN (\(concrete.joined(separator: ", ")))")
      try addRows(
        .rowVersion, in: root.name, "the row's version is below 1",
        sql: "SELECT Z_PK FROM \(table.name) WHERE Z_OPT IS NULL OR Z_OPT < 1 "
          + "OR typeof(Z_OPT) <> 'integer'")
      for column in table.columns where has(table.name, column.name) {
        try checkForeignValues(in: column, of: root, table: table.name)
      }
    }
  }

  /// Checks that a column added by a subentity is null in all other rows of the table, or has the default: Core
  /// Data's migration writes the default of a new attribute to every row of the shared table.
  private mutating func checkForeignValues(
    in column: SchemaColumn, of root: SchemaEntity, table: String
  ) throws {
    guard let owner = schema[number: column.entityNumber], owner.numbers != root.numbers else {
      return
    }
    var isForeign = "\(column.name) IS NOT NULL"
    if case .attribute(let path) = column.content, let attribute = owner.attribute(at: path),
      let standard = try? SQLLiteral.defaultValue(of: attribute)
    {
      isForeign += " AND \(column.name) <> \(standard)"
    }
    try addRows(
      .foreignValue, in: owner.name,
      "\(column.name) has a value in rows of other entities",
      sql: "SELECT Z_PK FROM \(table) WHERE \(isForeign) AND NOT (\(isKind(owner)))")
  }

  mutating func checkValues() throws {
    for entity in concreteEntities {
      for (path, column) in entity.attributes.sorted(by: { $0.key < $1.key })
      where has(entity.table, column) {
        let rows = "SELECT Z_PK FROM \(entity.table) WHERE Z_ENT = \(entity.number) AND "
        if let problem = entity.attributeType(path)?.problem(in: column) {
          try addRows(
            .valueType, in: entity.name, at: path, "\(problem.message), in the column \(column)",
            sql: rows + "(\(problem.condition))")
        }
        if [.stringAttributeType, .URIAttributeType].contains(entity.attributeType(path)) {
          try addRows(
            .textEncoding, in: entity.name, at: path,
            "the text isn't UTF-8, and is shown with replacement characters",
            sql: "SELECT Z_PK, \(column) FROM \(entity.table) WHERE Z_ENT = \(entity.number) "
              + "AND typeof(\(column)) = 'text'"
          ) { row in row.withText(at: 1) { String(validating: $0, as: UTF8.self) == nil } }
        }
        if let attribute = entity.description.attributesByName[path], !attribute.isOptional,
          !(attribute is NSDerivedAttributeDescription)
        {
          try addRows(
            .required, in: entity.name, at: path, "the attribute isn't optional and has no value",
            sql: rows + "\(column) IS NULL")
        }
      }
      try checkComposites(of: entity)
      for (name, toOne) in entity.toOnes.sorted(by: { $0.key < $1.key })
      where has(entity.table, toOne.key) {
        guard entity.description.relationshipsByName[name]?.isOptional == false else { continue }
        try addRows(
          .required, in: entity.name, at: name,
          "the relationship isn't optional and has no destination",
          sql:
            "SELECT Z_PK FROM \(entity.table) WHERE Z_ENT = \(entity.number) AND \(toOne.key) IS NULL"
        )
      }
    }
  }

  /// Checks that mandatory composites have at least one element. As in a save, individual elements aren't checked: an
  /// element may be missing whenever its composite may.
  private mutating func checkComposites(of entity: SchemaEntity) throws {
    for (name, attribute) in entity.description.attributesByName.sorted(by: { $0.key < $1.key })
    where attribute is NSCompositeAttributeDescription && !attribute.isOptional
      && !attribute.isTransient
    {
      let elements = entity.attributes.filter { $0.key.hasPrefix("\(name).") }.values.sorted()
      guard !elements.isEmpty, elements.allSatisfy({ has(entity.table, $0) }) else { continue }
      let isMissing = elements.map { "\($0) IS NULL" }.joined(separator: " AND ")
      try addRows(
        .required, in: entity.name, at: name, "the attribute isn't optional and has no value",
        sql: "SELECT Z_PK FROM \(entity.table) WHERE Z_ENT = \(entity.number) AND \(isMissing)")
    }
  }

  mutating func checkUniqueness() throws {
    for entity in schema.entities where columns[entity.table] != nil {
      for constraint in entity.ownUniquenessConstraints {
        guard let needed = entity.columns(ofConstraint: constraint),
          needed.allSatisfy({ has(entity.table, $0) })
        else { continue }
        let list = needed.joined(separator: ", ")
        let present = needed.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        try addRows(
          .uniqueness, in: entity.name, at: constraint.joined(separator: ","),
          "another object has the same values",
          sql: """
            SELECT Z_PK FROM \(entity.table) WHERE \(isKind(entity)) AND (\(list)) IN \
            (SELECT \(list) FROM \(entity.table) WHERE \(isKind(entity)) AND \(present) \
            GROUP BY \(list) HAVING count(*) > 1)
            """)
      }
    }
  }
}
