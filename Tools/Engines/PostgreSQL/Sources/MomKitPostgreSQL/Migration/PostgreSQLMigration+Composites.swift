import DataModels
import Foundation
@_spi(Engines) import MomKit
import RelationalSchemas

/// Composite attributes, whose elements have their own names, types and defaults.
extension PostgreSQLMigration {
  /// The number of values converted at once.
  private static let valuesAtOnce = 1000

  /// Returns how a composite attribute's values change, or nil if they stay as they are, or if the attribute is new or
  /// was of another type.
  static func compositeMigration(
    of property: String, _ pair: MigrationMapping.Pair, _ mapping: MigrationMapping
  ) -> CompositeMigration? {
    guard let new = composite(property, pair, mapping), let origin = pair.properties[property],
      let old = mapping.oldModel.entitiesByName[pair.old.name]?.attributesByName[origin]
        as? NSCompositeAttributeDescription
    else { return nil }
    let migration = CompositeMigration(from: old, to: new)
    return migration.changesNothing ? nil : migration
  }

  private static func composite(
    _ property: String, _ pair: MigrationMapping.Pair, _ mapping: MigrationMapping
  ) -> NSCompositeAttributeDescription? {
    guard let column = pair.new.columns[property],
      mapping.new.table(of: pair.new).columns[column].type == .json
    else { return nil }
    return mapping.newModel.entitiesByName[pair.new.name]?.attributesByName[property]
      as? NSCompositeAttributeDescription
  }

  /// Returns the value of a new composite attribute, or nil if it has no default.
  func standardComposite(
    _ property: String, _ pair: MigrationMapping.Pair
  ) throws -> String? {
    guard pair.properties[property] == nil,
      let composite = Self.composite(property, pair, mapping),
      let values = CompositeMigration.standard(composite)
    else { return nil }
    let json = try CompositeJSON.data(values, composite)
    return "\(SQL.literal(String(decoding: json, as: UTF8.self)))::jsonb"
  }

  /// The table with an attribute's converted values, by the old rows' keys.
  private func conversionTable(_ column: Int) -> String {
    SQL.quoted("_momkit_values_\(column)")
  }

  /// Converts the values of a pair's composite attributes, as far as these change. SQL would convert numbers in JSON in
  /// other ways.
  ///
  /// - Returns: the values, in terms of the old row `s`, by attribute.
  func convertComposites(of pair: MigrationMapping.Pair) throws -> [String: String] {
    var values: [String: String] = [:]
    for (property, column) in pair.new.columns {
      guard let migration = Self.compositeMigration(of: property, pair, mapping),
        let before = pair.old.columns[migration.old.name]
      else { continue }
      let table = conversionTable(column)
      try connection.execute("CREATE TABLE \(table) (key bigint PRIMARY KEY, value jsonb)")
      let name = SQL.quoted(mapping.old.table(of: pair.old).columns[before].name)
      try convert(name, of: pair, into: table) { json in
        let values = json.flatMap { CompositeJSON.values($0, migration.old) }
        do {
          return try migration.value(values).map { try CompositeJSON.data($0, migration.new) }
        } catch {
          throw refusal(
            "Values of '\(property)' of \(pair.new.name) can't be converted: \(error).",
            ["entity": pair.new.name, "attribute": property])
        }
      }
      try connection.execute("ANALYZE \(table)")
      values[property] = "(SELECT c.value FROM \(table) c WHERE c.key = s.\(SQL.key))"
    }
    return values
  }

  /// Drops what ``convertComposites(of:)`` has made.
  func dropConversions(of pair: MigrationMapping.Pair) throws {
    for (property, column) in pair.new.columns
    where Self.compositeMigration(of: property, pair, mapping) != nil {
      try connection.execute("DROP TABLE IF EXISTS \(conversionTable(column))")
    }
  }

  private func convert(
    _ column: String, of pair: MigrationMapping.Pair, into table: String,
    _ converted: (Data?) throws -> Data?
  ) throws {
    let oldTable = mapping.old.table(of: pair.old)
    var condition = "\(SQL.key) > $1"
    if oldTable.entityType != nil {
      condition += " AND \(SQL.entity) = \(SQL.label(pair.old.name))"
    }
    let json = PostgreSQLParameters.TypeNumber.json
    var (last, count) = (Int64.min, Self.valuesAtOnce)
    while count == Self.valuesAtOnce {
      var start = PostgreSQLParameters()
      start.append(last)
      var question = PostgreSQLConnection.Statement(
        "SELECT \(SQL.key), \(column) FROM \(place(oldTable.name)) WHERE \(condition) "
          + "ORDER BY \(SQL.key) LIMIT \(Self.valuesAtOnce)", start)
      question.isKept = false
      var (keys, values): ([Int64], [PostgreSQLValue]) = ([], [])
      try connection.run(question) { row in
        keys.append(try row.integer(0))
        let value = try converted(row.isNull(1) ? nil : try row.json(1))
        values.append(value.map { .json($0) } ?? .null(json))
      }
      var rows = PostgreSQLParameters()
      rows.append(keys: keys)
      rows.append(array: values, of: json)
      var insertion = PostgreSQLConnection.Statement(
        "INSERT INTO \(table) SELECT * FROM unnest($1, $2)", rows)
      insertion.isKept = false
      try connection.run(insertion)
      (last, count) = (keys.last ?? last, keys.count)
    }
  }
}
