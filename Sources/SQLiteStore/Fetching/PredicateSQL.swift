import Foundation
import ManagedModel
import ManagedObjects
import PredicateFormat

/// Turns predicates into SQL with the meaning they have in memory.
///
/// What SQL can't say gives nil, and the fetch is finished in memory. The SQL is never NULL where a
/// predicate is false, so that `NOT` turns it round.
struct PredicateSQL {
  let engine: SQLiteEngine
  /// The entity whose row `alias` stands for.
  let entity: SchemaEntity
  private let alias: String
  private(set) var parameters: [SQLParameter] = []
  private var aliasCount = 0

  init(engine: SQLiteEngine, entity: SchemaEntity) {
    self.engine = engine
    self.entity = entity
    alias = "t0"
  }

  private init(inside outer: PredicateSQL, entity: SchemaEntity, alias: String) {
    engine = outer.engine
    self.entity = entity
    self.alias = alias
    aliasCount = outer.aliasCount
  }

  // MARK: Predicates

  /// The condition for a predicate; nil when SQL can't say it.
  mutating func condition(_ predicate: PredicateTree) -> String? {
    switch predicate {
    case .value(let value): return value ? "1" : "0"
    case .compound(let kind, let members):
      var parts: [String] = []
      for member in members {
        guard let part = condition(member) else { return nil }
        parts.append(part)
      }
      switch kind {
      case .not: return parts.first.map { "NOT \($0)" }
      case .and: return parts.isEmpty ? "1" : "(\(parts.joined(separator: " AND ")))"
      case .or: return parts.isEmpty ? "0" : "(\(parts.joined(separator: " OR ")))"
      }
    case .comparison(let comparison): return self.comparison(comparison)
    case .opaque: return nil
    }
  }

  private mutating func comparison(_ comparison: PredicateTree.Comparison) -> String? {
    if comparison.modifier != .direct { return toMany(comparison) }
    guard let left = operand(comparison.left) else { return nil }
    let before = parameters
    if let simple = plain(left, comparison) { return simple }
    parameters = before
    return engine.evaluator.condition(left.sql, left.type, comparison).map { id in
      parameters.append(.integer(id))
      return "\(SQLEvaluator.functionName)(\(left.sql), ?)"
    }
  }

  /// A comparison that SQLite's own operators do exactly as predicates do.
  private mutating func plain(
    _ left: Operand, _ comparison: PredicateTree.Comparison
  ) -> String? {
    guard comparison.options.isEmpty else { return nil }
    switch comparison.type {
    case .equalTo, .notEqualTo:
      let isEqual = comparison.type == .equalTo
      if case .constant(let value) = comparison.right, value == .null || value == .nsNull {
        return "(\(left.sql) IS \(isEqual ? "" : "NOT ")NULL)"
      }
      if let right = constant(comparison.right, for: left.type) {
        // IS NOT, unlike <>, is true for NULL, as a predicate's != is for nil.
        return "(\(left.sql) \(isEqual ? "IS" : "IS NOT") \(right))"
      }
      guard let right = operand(comparison.right), right.type == left.type else { return nil }
      return "(\(left.sql) \(isEqual ? "IS" : "IS NOT") \(right.sql))"
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      guard left.isOrdered else { return nil }
      let symbol = comparison.type.symbol
      if let right = constant(comparison.right, for: left.type) {
        return "(\(left.sql) IS NOT NULL AND \(left.sql) \(symbol) \(right))"
      }
      guard let right = operand(comparison.right), right.type == left.type else { return nil }
      return "ifnull(\(left.sql) \(symbol) \(right.sql), 0)"
    case .in:
      guard case .constant(let collection) = comparison.right, let members = collection.members
      else { return nil }
      return list(members, left)
    case .between:
      guard left.isOrdered, case .constant(let bounds) = comparison.right,
        let bounds = bounds.members, bounds.count == 2,
        let low = constant(.constant(bounds[0]), for: left.type)
      else { return nil }
      guard let high = constant(.constant(bounds[1]), for: left.type) else { return nil }
      return "(\(left.sql) IS NOT NULL AND \(left.sql) BETWEEN \(low) AND \(high))"
    default: return nil
    }
  }

  private mutating func list(_ members: [PredicateValue], _ left: Operand) -> String? {
    var values: [String] = []
    for member in members {
      guard let value = constant(.constant(member), for: left.type) else { return nil }
      values.append(value)
    }
    guard !values.isEmpty else { return "0" }
    return "(\(left.sql) IS NOT NULL AND \(left.sql) IN (\(values.joined(separator: ", "))))"
  }

  // MARK: Over to-many relationships

  /// `ANY path op value`: there is a destination for which the comparison holds.
  private mutating func toMany(_ comparison: PredicateTree.Comparison) -> String? {
    guard case .keyPath(let path) = comparison.left, path.operand == .evaluatedObject else {
      return nil
    }
    var keys = path.path.split(separator: ".").map(String.init)
    guard !keys.isEmpty, let storage = entity.toManys[keys.removeFirst()],
      let destination = engine.schema[number: storage.destinationNumber]
    else { return nil }
    var inner = PredicateSQL(
      inside: self, entity: destination, alias: "t\(aliasCount + 1)")
    inner.aliasCount += 1
    let isAny = comparison.modifier == .any
    let rest: ExpressionTree = keys.isEmpty ? .evaluatedObject : .key(keys.joined(separator: "."))
    let element = PredicateTree.compare(
      rest, comparison.type, comparison.right, options: comparison.options)
    guard let condition = inner.condition(isAny ? element : .not(element)) else { return nil }
    aliasCount = inner.aliasCount
    parameters += inner.parameters
    let rows = storage.rows(of: "\(alias).Z_PK", as: inner.alias, engine.schema)
    return "\(isAny ? "" : "NOT ")EXISTS (SELECT 1 FROM \(rows) AND \(condition))"
  }

  // MARK: Expressions

  /// An expression over the row, with the type that its values have.
  struct Operand {
    let sql: String
    let type: OperandType

    /// Whether SQLite orders the values as predicates do.
    var isOrdered: Bool { type == .number || type == .date || type == .text }
  }

  enum OperandType: Equatable { case number, boolean, date, text, uuid, url, data, object }

  private mutating func operand(_ expression: ExpressionTree) -> Operand? {
    switch expression {
    case .evaluatedObject: return Operand(sql: "\(alias).Z_PK", type: .object)
    case .keyPath(let path) where path.operand == .evaluatedObject:
      return self.path(path.path.split(separator: ".").map(String.init)[...], entity, alias)
    default: return nil
    }
  }

  private mutating func path(
    _ keys: ArraySlice<String>, _ entity: SchemaEntity, _ alias: String
  ) -> Operand? {
    guard let key = keys.first else { return nil }
    if keys.count == 1 {
      if key == "self" || key == "objectID" {
        return Operand(sql: "\(alias).Z_PK", type: .object)
      }
      if let toOne = entity.toOnes[key] {
        return Operand(sql: "\(alias).\(toOne.key)", type: .object)
      }
      return attribute(key, entity, alias)
    }
    if keys.count == 2, keys.last == "@count", let storage = entity.toManys[key] {
      aliasCount += 1
      let rows = storage.rows(of: "\(alias).Z_PK", as: "t\(aliasCount)", engine.schema)
      return Operand(sql: "(SELECT count(*) FROM \(rows))", type: .number)
    }
    if let toOne = entity.toOnes[key], let next = engine.schema[number: toOne.destination] {
      aliasCount += 1
      let nextAlias = "t\(aliasCount)"
      guard let value = path(keys.dropFirst(), next, nextAlias) else { return nil }
      return Operand(
        sql: "(SELECT \(value.sql) FROM \(next.table) \(nextAlias) "
          + "WHERE \(nextAlias).Z_PK = \(alias).\(toOne.key))",
        type: value.type)
    }
    return attribute(keys.joined(separator: "."), entity, alias)
  }

  private func attribute(_ path: String, _ entity: SchemaEntity, _ alias: String) -> Operand? {
    guard let column = entity.attributes[path], let type = entity.attributeType(path) else {
      return nil
    }
    return Self.operandType(type).map { Operand(sql: "\(alias).\(column)", type: $0) }
  }

  private static func operandType(_ type: NSAttributeType) -> OperandType? {
    switch type {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .doubleAttributeType, .floatAttributeType, .decimalAttributeType:
      .number
    case .booleanAttributeType: .boolean
    case .dateAttributeType: .date
    case .stringAttributeType: .text
    case .UUIDAttributeType: .uuid
    case .URIAttributeType: .url
    default: nil
    }
  }

  // MARK: Constants

  /// A parameter for a constant, if it is of the type it is compared with.
  private mutating func constant(_ expression: ExpressionTree, for type: OperandType) -> String? {
    guard case .constant(let value) = expression,
      let parameter = parameter(value, for: type)
    else { return nil }
    parameters.append(parameter)
    return "?"
  }

  private func parameter(_ value: PredicateValue, for type: OperandType) -> SQLParameter? {
    switch (type, value) {
    case (.number, .integer(let number)), (.boolean, .integer(let number)): .integer(number)
    case (.number, .bool(let flag)), (.boolean, .bool(let flag)): .integer(flag ? 1 : 0)
    case (.number, .double(let number)): .real(number)
    case (.number, .float(let number)): .real(Double(number))
    case (.number, .decimal(let number)): Double(number.description).map { .real($0) }
    case (.date, .date(let date)): .real(date.timeIntervalSinceReferenceDate)
    case (.text, .string(let text)): .text(text)
    case (.uuid, .uuid(let uuid)): .data(withUnsafeBytes(of: uuid.uuid) { Data($0) })
    case (.url, .url(let url)): .text(url.absoluteString)
    case (.object, .object(let object)): key(of: object.base)
    default: nil
    }
  }

  private func key(of object: Any) -> SQLParameter? {
    let id = (object as? NSManagedObject)?.objectID ?? object as? NSManagedObjectID
    guard let id else { return nil }
    // What isn't in this store equals no row of it.
    return .integer(id.storeReference === engine.reference ? id.key : -1)
  }

  // MARK: Order

  /// A term of `ORDER BY` for a sort descriptor; nil when SQL can't sort so.
  mutating func orderTerm(_ descriptor: NSSortDescriptor) -> String? {
    guard let sortKey = descriptor.sortKey, let key = sortKey.key,
      sortKey.selector == nil || sortKey.selector == "compare:", sortKey.reversesNullOrder == nil,
      let operand = path(key.split(separator: ".").map(String.init)[...], entity, alias),
      operand.isOrdered || operand.type == .boolean
    else { return nil }
    return "\(operand.sql) \(sortKey.ascending ? "ASC" : "DESC")"
  }
}

extension PredicateValue {
  /// The members of a collection.
  fileprivate var members: [PredicateValue]? {
    switch self {
    case .array(let members), .set(let members), .orderedSet(let members): members
    default: nil
    }
  }
}

extension SchemaEntity.ToMany {
  /// `ZTABLE alias … WHERE …` for the destinations of the object whose key is `key`.
  fileprivate func rows(of key: String, as alias: String, _ schema: StoreSchema) -> String {
    let table = schema[number: destinationNumber]?.table ?? ""
    switch self {
    case .key(let column, _, _, _): return "\(table) \(alias) WHERE \(alias).\(column) = \(key)"
    case .join(let index, let isOwner, _):
      let join = schema.joinTables[index]
      let (own, other) =
        isOwner ? (join.ownerKey, join.inverseKey) : (join.inverseKey, join.ownerKey)
      let mirrored =
        join.isReflexive ? " UNION SELECT \(own) FROM \(join.name) WHERE \(other) = \(key)" : ""
      return "\(table) \(alias) WHERE \(alias).Z_PK IN (SELECT \(other) FROM \(join.name) "
        + "WHERE \(own) = \(key)\(mirrored))"
    }
  }
}
