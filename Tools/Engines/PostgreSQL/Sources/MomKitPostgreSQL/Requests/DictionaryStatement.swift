import DataModels
import Foundation
@_spi(Engines) import MomKit
import PredicateFormat

/// The SQL of a fetch with dictionary results: columns, groups and aggregate functions.
struct DictionaryStatement {
  private let plan: DictionaryPlan
  private let tables: StoreTables
  private let compiler: PredicateSQL
  private var select: [String] = []
  /// How to read each column of the plan.
  private var fields: [RowShape.Field] = []
  /// The expressions of the plan's columns before they are converted, with their places in `select`, for sorting.
  private var computed: [(sql: String, place: Int)] = []
  private(set) var statement = PostgreSQLConnection.Statement("")

  /// Compiles a request, or returns nil if SQL can't express all of it.
  init?(_ query: RowQuery, _ plan: DictionaryPlan, _ engine: PostgreSQLEngine) throws {
    (self.plan, tables) = (plan, engine.tables)
    let table = try engine.tables.table(query.layout)
    compiler = PredicateSQL(engine.tables, engine.reference, table)
    var conditions = [
      table.condition("t0", includesSubentities: query.includesSubentities)
    ].compactMap { $0 }
    if let predicate = query.predicate {
      guard let condition = compiler.condition(predicate.tree), compiler.isExact else {
        return nil
      }
      conditions.append(condition)
    }
    compiler.meaning = { $1.aggregate($0, in: plan) }
    let hasGroups = plan.groups != nil
    for column in plan.columns {
      let count = compiler.parameters.count
      guard add(column), !hasGroups || compiler.parameters.count == count else { return nil }
    }
    var tail = ""
    if let groups = plan.groups {
      let count = compiler.parameters.count
      let terms = groups.compactMap { compiler.operand($0, compiler.scope)?.sql }
      guard terms.count == groups.count, compiler.parameters.count == count else { return nil }
      tail += " GROUP BY \(terms.joined(separator: ", "))"
    }
    compiler.meaning = { $1.column($0, in: plan) ?? $1.aggregate($0, in: plan) }
    if let having = plan.having, plan.isGrouped {
      guard let condition = compiler.condition(having), compiler.isExact else { return nil }
      tail += " HAVING \(condition)"
    }
    guard let order = order(query) else { return nil }
    if !order.isEmpty { tail += " ORDER BY \(order.joined(separator: ", "))" }
    if query.limit > 0 { tail += " LIMIT \(query.limit)" }
    if query.offset > 0 { tail += " OFFSET \(query.offset)" }
    var sql = "SELECT \(plan.isDistinct ? "DISTINCT " : "")\(select.joined(separator: ", ")) "
    sql += "FROM \(compiler.from(compiler.scope.row))"
    if !conditions.isEmpty { sql += " WHERE \(conditions.joined(separator: " AND "))" }
    statement = PostgreSQLConnection.Statement(sql + tail, compiler.parameters)
  }

  /// Returns the terms of the order, or nil if SQL can't sort that way. They leave no two different dictionaries in any
  /// order if there is a window: the next one continues it.
  private func order(_ query: RowQuery) -> [String]? {
    var order: [String] = []
    for descriptor in query.sortDescriptors {
      guard let key = descriptor.sortKey?.key,
        let value = compiler.operand(.key(key), compiler.scope)
      else { return nil }
      var sorted = value
      if plan.isDistinct {
        // Distinct rows are sorted by what is selected, which may be converted, so by its number.
        guard let column = computed.first(where: { $0.sql == value.sql }) else { return nil }
        sorted = SQLOperand("\(column.place + 1)", value.type, isRequired: value.isRequired)
      }
      guard let term = compiler.orderTerm(sorted, descriptor) else { return nil }
      order.append(term)
    }
    let hasWindow = query.limit > 0 || query.offset > 0
    if plan.isGrouped || plan.isDistinct {
      if hasWindow { order += select.indices.map { "\($0 + 1)" } }
    } else if hasWindow || !order.isEmpty {
      order.append("t0.\(SQL.key)")
    }
    return order
  }

  /// Returns a row's objects, by column.
  func objects(_ row: PostgreSQLRow, _ decoder: inout RowDecoder) throws -> [Any?] {
    var objects: [Any?] = []
    objects.reserveCapacity(plan.columns.count)
    for (index, column) in plan.columns.enumerated() {
      objects.append(Self.object(try decoder.value(row, fields[index], index), column.type))
    }
    return objects
  }

  /// Returns the object that represents a value.
  private static func object(_ value: StoredValue, _ type: NSAttributeType) -> Any? {
    switch value {
    case .null: nil
    case .integer(let number):
      type == .booleanAttributeType ? NSNumber(value: number != 0) : NSNumber(value: number)
    case .real(let number):
      switch type {
      case .dateAttributeType: Date(timeIntervalSinceReferenceDate: number)
      case .floatAttributeType: NSNumber(value: Float(number))
      default: NSNumber(value: number)
      }
    case .text(let text): text
    case .data(let data): data
    case .reference(let id): id
    case .box(let box):
      (box.value as? Decimal).map { NSDecimalNumber(decimal: $0) } ?? box.value
    }
  }

  // MARK: Columns

  /// Adds a column, or returns false if SQL can't compute it.
  private mutating func add(_ column: DictionaryPlan.Column) -> Bool {
    let place = Int32(select.count)
    if case .keyPath(let path) = column.value, path.operand == .evaluatedObject,
      let slot = compiler.scope.row.table.slot(path.path), slot.property.destinationLayout == nil,
      slot.property.attributeType == column.type
    {
      // Stored values are read as they are for objects, whatever their type.
      guard slot.column.type != .transformable else { return false }
      select.append("t0.\(slot.name)")
      computed.append(("t0.\(slot.name)", Int(place)))
      fields.append(RowShape.field(slot, place))
      return true
    }
    guard let value = compiler.operand(column.value, compiler.scope) else { return false }
    computed.append((value.sql, Int(place)))
    if case .object(let table) = value.type {
      guard !column.isAggregate,
        let root = tables.layouts.entities.first(where: {
          $0.parent == nil && tables.schema.entities[$0.name]?.table == table
        }), let target = try? tables.table(root)
      else { return false }
      select.append(value.sql)
      guard target.table.entityType != nil else {
        fields.append(.toOne(place, entity: nil, root))
        return true
      }
      select.append(
        "(SELECT e.\(SQL.entity) FROM \(target.name) e WHERE e.\(SQL.key) = \(value.sql))")
      fields.append(.toOne(place, entity: place + 1, root))
      return true
    }
    guard let (sql, field) = Self.field(value, column.type, place) else { return false }
    select.append(sql)
    fields.append(field)
    return true
  }

  /// Returns how a computed value is selected and read as the column's type.
  private static func field(
    _ value: SQLOperand, _ type: NSAttributeType, _ place: Int32
  ) -> (String, RowShape.Field)? {
    let integer = ("(\(value.number))::bigint", RowShape.Field.integer(place))
    let real = ("(\(value.number))::float8", RowShape.Field.real(place))
    switch (type, value.type) {
    case (.undefinedAttributeType, .integer), (.undefinedAttributeType, .boolean): return integer
    case (.undefinedAttributeType, .real): return real
    case (.undefinedAttributeType, .text), (.stringAttributeType, .text):
      return (value.sql, .text(place))
    case (.integer16AttributeType, .integer), (.integer32AttributeType, .integer),
      (.integer64AttributeType, .integer), (.integer16AttributeType, .boolean),
      (.integer32AttributeType, .boolean), (.integer64AttributeType, .boolean):
      return integer
    case (.doubleAttributeType, let other) where other.isNumeric: return real
    case (.floatAttributeType, let other) where other.isNumeric: return real
    case (.decimalAttributeType, .decimal), (.decimalAttributeType, .integer):
      return ("(\(value.sql))::numeric", .decimal(place))
    case (.booleanAttributeType, .boolean): return (value.sql, .boolean(place))
    case (.dateAttributeType, .date): return (value.sql, .date(place))
    case (.UUIDAttributeType, .uuid): return (value.sql, .uuid(place))
    case (.URIAttributeType, .url): return (value.sql, .url(place))
    default: return nil
    }
  }
}

extension PostgreSQLEngine {
  func dictionaries(_ query: RowQuery, plan: DictionaryPlan) throws -> [NSDictionary]? {
    guard let made = try DictionaryStatement(query, plan, self) else { return nil }
    let keys = DictionaryKeys(plan)
    var found: [NSDictionary] = []
    do {
      try withRawConnection { connection in
        var decoder = RowDecoder(store: reference, layouts: tables.layouts)
        found = []
        try ask(connection, made.statement) {
          found.append(keys.dictionary(try made.objects($0, &decoder)))
        }
      }
    } catch let error as PostgreSQLError where error.exceedsServer || error.state == "42803" {
      // A sum that overflows every integer type, for example: computed in memory.
      return nil
    } catch let error as PostgreSQLError {
      throw error.cocoaError(NSPersistentStoreOperationError)
    }
    return found
  }
}
