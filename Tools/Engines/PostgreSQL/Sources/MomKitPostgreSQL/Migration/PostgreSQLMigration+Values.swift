import DataModels
import MomKit
import RelationalSchemas

/// Attributes.
extension PostgreSQLMigration {
  /// Returns the value for an attribute's column of a new row, in terms of the old row `s`.
  func value(
    of property: String, _ column: RelationalColumn, _ pair: MigrationMapping.Pair
  ) throws -> String {
    if let standard = try standardComposite(property, pair) { return standard }
    let standard =
      column.standard.map { SQLDialect.postgreSQL.literal($0, of: column.type) } ?? "NULL"
    guard let origin = pair.properties[property] else { return standard }
    guard let index = pair.old.columns[origin] else { return standard }
    let before = mapping.old.table(of: pair.old).columns[index]
    let value = "s.\(SQL.quoted(before.name))"
    let converted =
      before.type == column.type ? value : try conversion(of: value, before.type, to: column, pair)
    // An attribute that has become mandatory.
    return column.isRequired && standard != "NULL"
      ? "coalesce(\(converted), \(standard))" : converted
  }

  private func conversion(
    of value: String, _ type: RelationalType, to column: RelationalColumn,
    _ pair: MigrationMapping.Pair
  ) throws -> String {
    if let number = number(value, type, to: column.type) { return number }
    if type == .text, column.type == .url { return value }
    if type == .bytes && column.type == .transformable
      || type == .transformable && column.type == .bytes
    {
      return value
    }
    throw refusal(
      "Values of '\(column.property)' of \(pair.new.name) can't be converted: their type was \(type.rawValue), "
        + "and is \(column.type.rawValue).",
      ["entity": pair.new.name, "attribute": column.property])
  }

  /// Returns the number that a number becomes, or nil if either type isn't numeric.
  private func number(
    _ value: String, _ old: RelationalType, to new: RelationalType
  ) -> String? {
    let numbers: Set<RelationalType> = [.int16, .int32, .int64, .double, .float, .decimal]
    let name = SQLDialect.postgreSQL.name(of: new)
    if old == .boolean, numbers.contains(new) { return "(\(value))::int::\(name)" }
    guard numbers.contains(old) else { return nil }
    let isReal = old == .double || old == .float
    func integer(bits: Int) -> String {
      "(\(NumberSQL.integer(value, isReal: isReal, bits: bits)))::\(name)"
    }
    switch new {
    case .boolean:
      return isReal || old == .decimal ? "(nullif(\(value), 'NaN') <> 0)" : "(\(value) <> 0)"
    case .int16: return integer(bits: 16)
    case .int32: return integer(bits: 32)
    case .int64: return integer(bits: 64)
    case .double: return "(\(value))::float8"
    case .float: return NumberSQL.single(value)
    case .decimal: return isReal ? NumberSQL.decimal(ofReal: value) : "(\(value))::numeric"
    case .text, .url, .date, .uuid, .bytes, .json, .transformable: return nil
    }
  }
}
