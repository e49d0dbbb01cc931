import DataModels
import Foundation
@_spi(Engines) import MomKit
import PredicateFormat
import RelationalSchemas

/// Constants, key paths, functions and sort orders.
extension PredicateSQL {
  // MARK: Constants

  /// Returns a constant converted for comparison with values of a type, or nil if it is of another kind.
  func parameter(_ value: PredicateValue, for type: SQLOperand.ValueType) -> PostgreSQLValue? {
    switch (type, value) {
    case (.decimal, .double(let number)):
      return number.isFinite ? .numeric("\(number)") : nil
    case (.decimal, .float(let number)):
      return number.isFinite ? .numeric("\(number)") : nil
    case (_, .integer(let number)) where type.isNumeric: return .int8(number)
    case (_, .bool(let flag)) where type.isNumeric: return .int8(flag ? 1 : 0)
    case (_, .double(let number)) where type.isNumeric:
      return number.isNaN ? nil : .float8(number)
    case (_, .float(let number)) where type.isNumeric:
      return number.isNaN ? nil : .float8(Double(number))
    case (.real, .decimal(let number)): return Double(number.description).map { .float8($0) }
    case (_, .decimal(let number)) where type.isNumeric:
      return number.isNaN ? nil : .numeric(number.description)
    case (.date, .date(let date)):
      return PostgreSQLTimestamp.microseconds(date.timeIntervalSinceReferenceDate).map {
        .timestamp($0)
      }
    case (.text, .string(let text)): return text.utf8.contains(0) ? nil : .text(text)
    case (.uuid, .uuid(let uuid)): return .uuid(uuid)
    case (.url, .url(let url)):
      let text = url.absoluteString
      return text.utf8.contains(0) ? nil : .text(text)
    case (.object(let table), .object(let object)): return key(of: object.base, table: table)
    case (.entity, .object(let object)):
      return (object.base as? NSEntityDescription).map {
        .text(SQLDialect.postgreSQL.label(of: $0.name ?? ""))
      }
    default: return nil
    }
  }

  private func key(of object: Any, table: Int) -> PostgreSQLValue? {
    let id = (object as? NSManagedObject)?.objectID ?? object as? NSManagedObjectID
    guard let id = id.map({ $0.successor ?? $0 }), !id.isTemporaryID else { return nil }
    // An object of another store or entity hierarchy equals no row here.
    guard id.storeReference === store, tables.schema.entities[id.layout.name]?.table == table
    else { return .int8(-1) }
    return .int8(id.key)
  }

  func constant(_ value: PredicateValue) -> SQLOperand? {
    let type: SQLOperand.ValueType
    switch value {
    case .integer, .bool: type = .integer
    case .double, .float: type = .real
    case .decimal: type = .decimal
    case .string: type = .text
    case .date: type = .date
    default: return nil
    }
    return parameter(value, for: type).map { SQLOperand(bind($0), type) }
  }

  // MARK: Key paths

  func key(of row: Row) -> SQLOperand {
    SQLOperand(
      "\(row.alias).\(SQL.key)", .object(root: row.table.entity.table), isRequired: true)
  }

  func path(_ keys: ArraySlice<String>, row: Row) -> SQLOperand? {
    guard let key = keys.first else { return nil }
    if key == "self", keys.count > 1 { return path(keys.dropFirst(), row: row) }
    if keys.count == 1 {
      switch key {
      case "self", "objectID": return self.key(of: row)
      case "entity":
        let isMixed = row.table.table.entityType != nil
        return SQLOperand(
          isMixed
            ? "\(row.alias).\(SQL.entity)::text" : "\(SQL.label(row.table.layout.name))::text",
          .entity)
      default: break
      }
    }
    guard let slot = row.table.slot(key) else { return nil }
    if let destination = slot.property.destinationLayout {
      guard let target = try? tables.table(destination) else { return nil }
      if keys.count == 1 {
        return SQLOperand("\(row.alias).\(slot.name)", .object(root: target.entity.table))
      }
      if keys.count == 2, keys.last == "objectID" {
        return SQLOperand("\(row.alias).\(slot.name)", .object(root: target.entity.table))
      }
      return path(keys.dropFirst(), row: joined(row, slot.name, target)).map {
        SQLOperand($0.sql, $0.type)
      }
    }
    let name = "\(row.alias).\(slot.name)"
    if let composite = slot.property.description as? NSCompositeAttributeDescription {
      return element(keys.dropFirst(), of: composite, name)
    }
    guard keys.count == 1, let type = Self.type(slot.property.attributeType) else { return nil }
    indexedLengths[name] = slot.indexedLength
    return SQLOperand(
      name, type,
      isRequired: row.alias == "t0" && slot.column.isRequired && slot.column.entityNames == nil)
  }

  private static func type(_ type: NSAttributeType) -> SQLOperand.ValueType? {
    switch type {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: .integer
    case .doubleAttributeType, .floatAttributeType: .real
    case .decimalAttributeType: .decimal
    case .booleanAttributeType: .boolean
    case .stringAttributeType: .text
    case .dateAttributeType: .date
    case .UUIDAttributeType: .uuid
    case .URIAttributeType: .url
    case .binaryDataAttributeType, .transformableAttributeType, .compositeAttributeType,
      .undefinedAttributeType, .objectIDAttributeType:
      nil
    }
  }

  /// Returns an element of a composite attribute.
  private func element(
    _ keys: ArraySlice<String>, of composite: NSCompositeAttributeDescription, _ sql: String
  ) -> SQLOperand? {
    guard let key = keys.first,
      let element = composite.elements.first(where: { $0.name == key })
    else { return nil }
    if let nested = element as? NSCompositeAttributeDescription {
      return self.element(keys.dropFirst(), of: nested, "(\(sql) -> \(SQL.literal(key)))")
    }
    guard keys.count == 1, let type = Self.type(element.attributeType) else { return nil }
    let text = "(\(sql) ->> \(SQL.literal(key)))"
    switch type {
    case .integer: return SQLOperand("\(text)::bigint", type)
    case .real: return SQLOperand("\(text)::float8", type)
    case .decimal: return SQLOperand("\(text)::numeric", type)
    case .boolean: return SQLOperand("\(text)::boolean", type)
    case .date: return SQLOperand("\(text)::timestamptz", type)
    case .uuid: return SQLOperand("\(text)::uuid", type)
    case .text, .url: return SQLOperand("(\(text) COLLATE \"C\")", type)
    case .object, .entity: return nil
    }
  }

  // MARK: Of many

  func aggregate(_ operation: String, of value: SQLOperand, from: String) -> SQLOperand? {
    switch operation {
    case "sum":
      guard value.type.isNumeric, value.type != .decimal else { return nil }
      return SQLOperand(
        "(SELECT coalesce(sum(\(value.summand)), 0) \(from))",
        value.type == .real ? .real : .integer)
    case "avg":
      guard value.type.isNumeric, value.type != .decimal else { return nil }
      return SQLOperand(
        "(SELECT coalesce(sum(\(value.summand))::float8 / nullif(count(*), 0), 0) \(from))", .real)
    case "min", "max":
      guard value.type.isOrdered, value.type != .uuid else { return nil }
      return SQLOperand(
        "(SELECT \(operation)(\(value.number)) \(from))",
        value.type == .boolean ? .integer : value.type)
    default: return nil
    }
  }

  func grouped(_ function: DictionaryPlan.Aggregate, of value: SQLOperand) -> SQLOperand? {
    switch function {
    case .count: return SQLOperand("count(\(value.sql))", .integer)
    case .sum:
      guard value.type.isNumeric else { return nil }
      return SQLOperand(
        "coalesce(sum(\(value.summand)), 0)", value.type == .boolean ? .integer : value.type)
    case .average:
      guard value.type.isNumeric, value.type != .decimal else { return nil }
      return SQLOperand("avg(\(value.summand))::float8", .real)
    case .min, .max:
      guard value.type.isOrdered, value.type != .uuid, value.type != .boolean else { return nil }
      return SQLOperand("\(function == .min ? "min" : "max")(\(value.sql))", value.type)
    }
  }

  // MARK: Functions

  func function(
    _ function: ExpressionTree.Function, _ scope: SQLScope<Row>
  ) -> SQLOperand? {
    guard function.isBuiltIn else { return nil }
    let arguments = function.arguments
    switch (function.selector, arguments.count) {
    case ("noindex:", 1): return operand(arguments[0], scope)
    case ("count:", 1):
      guard let rows = rows(arguments[0], scope), rows.rest.isEmpty else { return nil }
      return count(rows)
    case ("min:", 1), ("max:", 1):
      guard let rows = rows(arguments[0], scope), !rows.rest.isEmpty,
        let value = path(rows.rest[...], row: rows.row)
      else { return nil }
      return aggregate(
        String(function.selector.dropLast()), of: value, from: "FROM \(source(rows))")
    case ("abs:", 1):
      guard let value = operand(arguments[0], scope), [.integer, .real].contains(value.type) else {
        return nil
      }
      return value.type == .integer
        ? SQLOperand("abs(\(value.sql)::numeric)", .integer)
        : SQLOperand("abs(\(value.sql))", .real)
    case (_, 2): return arithmetic(function.selector, arguments, scope)
    default: return nil
    }
  }

  /// Returns the result of arithmetic on two numbers. Integers are computed with arbitrary precision; division by
  /// zero gives nil.
  private func arithmetic(
    _ selector: String, _ arguments: [ExpressionTree], _ scope: SQLScope<Row>
  ) -> SQLOperand? {
    guard let left = operand(arguments[0], scope), let right = operand(arguments[1], scope),
      left.type.isNumeric, right.type.isNumeric, left.type != .decimal, right.type != .decimal
    else { return nil }
    let isReal = left.type == .real || right.type == .real
    let (a, b) =
      isReal
      ? ("(\(left.number))::float8", "(\(right.number))::float8")
      : ("(\(left.number))::numeric", "(\(right.number))::numeric")
    let type: SQLOperand.ValueType = isReal ? .real : .integer
    switch selector {
    case "add:to:": return SQLOperand("(\(a) + \(b))", type)
    case "from:subtract:": return SQLOperand("(\(a) - \(b))", type)
    case "multiply:by:": return SQLOperand("(\(a) * \(b))", type)
    case "divide:by:":
      return SQLOperand(isReal ? "(\(a) / nullif(\(b), 0))" : "div(\(a), nullif(\(b), 0))", type)
    case "modulus:by:" where !isReal: return SQLOperand("mod(\(a), nullif(\(b), 0))", type)
    default: return nil
    }
  }

  // MARK: Orders

  /// Returns the `ORDER BY` term for a sort descriptor, or nil if SQL can't sort that way.
  func orderTerm(_ descriptor: NSSortDescriptor) -> String? {
    guard let key = descriptor.sortKey?.key else { return nil }
    guard let value = operand(.key(key), scope), let term = orderTerm(value, descriptor) else {
      return nil
    }
    guard let length = indexedLengths[value.sql] else { return term }
    // Rows come from the index in the order of the beginnings, so that few must be sorted.
    return "left(\(value.sql), \(length))\(term.dropFirst(value.sql.count)), \(term)"
  }

  /// Returns the `ORDER BY` term for an operand that has been compiled. Nulls come first, as in SQLite.
  func orderTerm(_ value: SQLOperand, _ descriptor: NSSortDescriptor) -> String? {
    guard let sortKey = descriptor.sortKey, sortKey.reversesNullOrder == nil, value.type.isOrdered,
      value.type != .text || sortKey.selector == nil || sortKey.selector == "compare:"
    else { return nil }
    let direction = sortKey.ascending ? "ASC" : "DESC"
    if value.isRequired { return "\(value.sql) \(direction)" }
    return "\(value.sql) \(direction) NULLS \(sortKey.ascending ? "FIRST" : "LAST")"
  }
}
