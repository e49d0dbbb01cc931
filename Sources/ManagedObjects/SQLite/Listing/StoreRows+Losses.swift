import DataModels
import Foundation

extension StoreRows {
  /// The number of objects of exactly this entity; 0 for an entity that the store doesn't have.
  package func ownObjectCount(of name: String) throws -> Int {
    try schema[name].map { try count(of: $0) } ?? 0
  }

  /// The number of objects of an entity with a number that changes in conversion to the attribute's new type.
  package func misfitCount(
    of old: String, in name: String, as type: NSAttributeType
  ) throws -> Int {
    guard let entity = schema[name], let column = entity.attributes[old] else { return 0 }
    let sql =
      "SELECT t0.\(column) FROM \(entity.table) t0 WHERE t0.Z_ENT BETWEEN \(entity.number) "
      + "AND \(entity.lastNumber) AND t0.\(column) IS NOT NULL"
    return try connection.withStatement(sql) { row in
      var count = 0
      while try row.step() {
        let value: StoredValue =
          row.type(at: 0) == .integer ? .integer(row.integer(at: 0)) : .real(row.double(at: 0))
        if !Self.isSame(value, MigrationConversion.number(value, as: type)) { count += 1 }
      }
      return count
    }
  }

  private static func isSame(_ value: StoredValue, _ converted: StoredValue?) -> Bool {
    switch (value, converted) {
    case (.integer(let before), .integer(let after)): before == after
    case (.real(let before), .real(let after)): before == after
    case (.integer(let before), .real(let after)): Int64(exactly: after) == before
    case (.real(let before), .integer(let after)): Double(exactly: after) == before
    case (.integer(let before), .box(let box)): box.value as? Decimal == Decimal(before)
    // Lossless: a decimal has room for all digits of a double.
    case (.real, .box): true
    default: false
    }
  }

  /// The number of objects of an entity that have a value or members for a property; 0 for a property that the store
  /// doesn't have.
  package func valueCount(of property: String, in name: String) throws -> Int {
    guard let entity = schema[name] else { return 0 }
    var conditions = entity.attributes.filter {
      $0.key == property || $0.key.hasPrefix(property + ".")
    }.map { "t0.\($0.value) IS NOT NULL" }
    if let toOne = entity.toOnes[property] { conditions.append("t0.\(toOne.key) IS NOT NULL") }
    switch entity.toManys[property] {
    case .key(let key, _, _, let destination)?:
      guard let table = schema[number: destination]?.table else { return 0 }
      conditions.append("t0.Z_PK IN (SELECT \(key) FROM \(table))")
    case .join(let index, let isOwner, _)?:
      let join = schema.joinTables[index]
      let key = isOwner ? join.ownerKey : join.inverseKey
      conditions.append("t0.Z_PK IN (SELECT \(key) FROM \(join.name))")
    case nil: break
    }
    guard !conditions.isEmpty else { return 0 }
    return Int(
      try connection.integer(
        "SELECT count(*) FROM \(entity.table) t0 WHERE t0.Z_ENT BETWEEN \(entity.number) "
          + "AND \(entity.lastNumber) AND (\(conditions.joined(separator: " OR ")))") ?? 0)
  }
}
