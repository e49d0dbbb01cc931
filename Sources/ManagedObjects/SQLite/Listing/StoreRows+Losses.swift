import DataModels
import Foundation

extension StoreRows {
  /// The number of objects of exactly this entity; 0 for an entity that the store doesn't have.
  package func ownObjectCount(of name: String) throws -> Int {
    try schema[name].map { try count(of: $0) } ?? 0
  }

  /// The number of objects of exactly this entity with a number that changes in conversion to the attribute's new type.
  package func misfitCount(
    of old: String, in name: String, as type: NSAttributeType
  ) throws -> Int {
    guard let entity = schema[name], let column = entity.attributes[old] else { return 0 }
    let sql =
      "SELECT t0.\(column) FROM \(entity.table) t0 WHERE \(entity.ownRows("t0")) "
      + "AND t0.\(column) IS NOT NULL"
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

  /// The number of objects of exactly this entity that have a value or members for a property; 0 for a property that
  /// the store doesn't have.
  ///
  /// - Parameter targets: The exact entities of the related objects that count; nil for all.
  package func valueCount(
    of property: String, in name: String, leadingTo targets: [String]? = nil
  ) throws -> Int {
    guard let entity = schema[name] else { return 0 }
    var conditions = entity.attributes.filter {
      $0.key == property || $0.key.hasPrefix(property + ".")
    }.map { "t0.\($0.value) IS NOT NULL" }
    let isTarget =
      targets.map { targets in
        let numbers = targets.compactMap { schema[$0].map { "\($0.number)" } }
        return "t1.Z_ENT IN (\(numbers.joined(separator: ", ")))"
      } ?? "1"
    func table(_ destination: Int) -> String? { schema[number: destination]?.table }
    if let toOne = entity.toOnes[property], let table = table(toOne.destination) {
      conditions.append(
        targets == nil
          ? "t0.\(toOne.key) IS NOT NULL"
          : "t0.\(toOne.key) IN (SELECT t1.Z_PK FROM \(table) t1 WHERE \(isTarget))")
    }
    switch entity.toManys[property] {
    case .key(let key, _, _, let destination)?:
      guard let table = table(destination) else { return 0 }
      conditions.append(
        "t0.Z_PK IN (SELECT t1.\(key) FROM \(table) t1 WHERE \(isTarget))")
    case .join(let index, let isOwner, let destination)?:
      guard let table = table(destination) else { return 0 }
      let join = schema.joinTables[index]
      let keys = [join.ownerKey, join.inverseKey]
      conditions.append(
        "t0.Z_PK IN (SELECT j.\(keys[isOwner ? 0 : 1]) FROM \(join.name) j "
          + "JOIN \(table) t1 ON t1.Z_PK = j.\(keys[isOwner ? 1 : 0]) WHERE \(isTarget))")
    case nil: break
    }
    guard !conditions.isEmpty else { return 0 }
    return Int(
      try connection.integer(
        "SELECT count(*) FROM \(entity.table) t0 WHERE \(entity.ownRows("t0")) "
          + "AND (\(conditions.joined(separator: " OR ")))") ?? 0)
  }
}
