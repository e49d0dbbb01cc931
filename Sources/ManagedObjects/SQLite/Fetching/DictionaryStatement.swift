import DataModels
import Foundation
import PredicateFormat

/// The SQL of a fetch for dictionaries: columns, groups, and aggregates.
struct DictionaryStatement {
  private let engine: SQLiteEngine
  private let plan: DictionaryPlan
  private let compiler: PredicateSQL
  private var select: [String] = []
  /// The way to read each column of the plan from a row.
  private var fields: [RowField] = []
  private var sql = ""

  /// Compiles a request; nil if SQL can't express all of it.
  init?(_ query: RowQuery, _ plan: DictionaryPlan, engine: SQLiteEngine) throws {
    self.engine = engine
    self.plan = plan
    engine.evaluator.trim()
    let entity = try engine.entity(query.layout)
    let shape = try engine.shape(query.layout, includesSubentities: query.includesSubentities)
    compiler = PredicateSQL(engine: engine, entity: entity)
    var conditions = [shape.entityCondition].compactMap { $0 }
    if let predicate = query.predicate {
      guard let condition = compiler.condition(predicate.tree) else { return nil }
      conditions.append(condition)
    }
    compiler.meaning = { $1.aggregate($0, in: plan) }
    for column in plan.columns {
      guard try add(column, entity) else { return nil }
    }
    sql = "SELECT \(plan.isDistinct ? "DISTINCT " : "")\(select.joined(separator: ", ")) "
    sql += "FROM \(entity.table) t0"
    if !conditions.isEmpty { sql += " WHERE \(conditions.joined(separator: " AND "))" }
    if let groups = plan.groups {
      let terms = groups.compactMap { compiler.operand($0, compiler.scope)?.sql }
      guard terms.count == groups.count else { return nil }
      sql += " GROUP BY \(terms.joined(separator: ", "))"
    }
    compiler.meaning = { $1.column($0, in: plan) ?? $1.aggregate($0, in: plan) }
    if let having = plan.having, plan.isGrouped {
      guard let condition = compiler.condition(having) else { return nil }
      sql += " HAVING \(condition)"
    }
    guard let order = order(query.sortDescriptors) else { return nil }
    if !order.isEmpty { sql += " ORDER BY \(order.joined(separator: ", "))" }
    if query.limit > 0 || query.offset > 0 {
      sql += " LIMIT \(query.limit > 0 ? query.limit : -1) OFFSET \(query.offset)"
    }
    guard compiler.isReadable(sql) else { return nil }
  }

  /// Executes the statement; again if a value's file was missing, since another writer may have replaced the value after
  /// the statement had begun. A value whose file is still missing is none then, as an object's.
  ///
  /// - Returns: nil if a file was missing in a pinned snapshot: whether its value is lost must be asked for each object.
  func run() throws -> [NSDictionary]? {
    do { return try dictionaries(passingOverMissingFiles: false) } catch {
      guard ExternalData.isMissingFile(error) else { throw error }
      guard engine.passesOverMissingFiles else {
        guard engine.keptFiles != nil, !engine.requiresExternalFiles else { throw error }
        return nil
      }
    }
    var attempts = 5
    while true {
      let version = try engine.connection.integer("PRAGMA data_version")
      let found = try dictionaries(passingOverMissingFiles: true)
      attempts -= 1
      // Otherwise what was passed over may have been replaced during this execution, too.
      let isCurrent = try engine.connection.integer("PRAGMA data_version") == version
      if isCurrent || attempts == 0 { return found }
    }
  }

  private func dictionaries(passingOverMissingFiles passesOver: Bool) throws -> [NSDictionary] {
    let reader = RowShape.Reader(layout: plan.layout, fields: fields)
    var decoder = RowDecoder(
      store: engine.reference, layouts: engine.layouts, externalData: engine.externalData)
    decoder.passesOverMissingFiles = passesOver
    return try engine.connection.withStatement(sql) { row in
      for (index, parameter) in compiler.parameters.enumerated() {
        try parameter.bind(to: row, at: Int32(index + 1))
      }
      let keys = DictionaryKeys(plan)
      var found: [NSDictionary] = []
      guard try engine.stepToFirst(row) else { return [] }
      repeat {
        let values = try decoder.values(row, reader)
        found.append(
          keys.dictionary(try zip(values, plan.columns).map { try object($0, $1) }))
      } while try row.step()
      return found
    }
  }

  private func object(_ value: StoredValue, _ column: DictionaryPlan.Column) throws -> Any? {
    var value = value
    // Computed from integers, a real number is the nearest one, as in memory.
    if case .integer(let number) = value, column.type.operandType == .real {
      value = .real(Double(number))
    }
    let number: PredicateValue? =
      switch value {
      case .integer(let number): .integer(number)
      case .real(let number): .double(number)
      default: nil
      }
    return try number.flatMap { try column.number($0) }
      ?? AttributeCodec.object(value, type: column.type)
  }

  // MARK: Columns

  /// Adds the SQL of a column; returns false if SQL can't compute it.
  private mutating func add(
    _ column: DictionaryPlan.Column, _ entity: SchemaEntity
  ) throws -> Bool {
    if case .keyPath(let path) = column.value, path.operand == .evaluatedObject,
      let attribute = entity.description.attributesByName[path.path],
      let name = entity.attributes[path.path], attribute.attributeType == column.type
    {
      // Stored values are decoded like those of objects, whatever their type.
      fields.append(.attribute(attribute, column: Int32(select.count)))
      select.append("t0.\(name)")
      return attribute.attributeType != .transformableAttributeType
    }
    guard let value = compiler.operand(column.value, compiler.scope) else { return false }
    let place = Int32(select.count)
    select.append(value.sql)
    switch value.type {
    case .object(let root):
      guard let destination = engine.layouts[root - 1], !column.isAggregate else { return false }
      // The row's own entity, which may be a subentity of the declared one.
      guard let entities = entityColumn(column.value, entity) else { return false }
      fields.append(.toOne(key: place, entity: place + 1, destination: destination))
      select.append(entities)
      return true
    case .entity: return false
    default: break
    }
    guard let field = Self.field(column.type, value: value.type, at: place) else { return false }
    fields.append(field)
    return true
  }

  /// The SQL for the entity number of the object that an expression returns.
  private func entityColumn(_ tree: ExpressionTree, _ entity: SchemaEntity) -> String? {
    switch tree {
    case .evaluatedObject: return "t0.Z_ENT"
    case .keyPath(let path) where path.operand == .evaluatedObject:
      if ["self", "objectID"].contains(path.path) { return "t0.Z_ENT" }
      let keys = path.path.split(separator: ".").map(String.init)
      let isID = keys.last == "objectID"
      let toEntity = (isID ? keys.dropLast() : keys[...]) + ["entity"]
      return compiler.operand(.key(toEntity.joined(separator: ".")), compiler.scope)?.sql
    default: return nil
    }
  }

  /// The way to read a computed value as one of the column's type.
  private static func field(
    _ type: NSAttributeType, value: SQLOperand.ValueType, at place: Int32
  ) -> RowField? {
    if type == .undefinedAttributeType {
      switch value {
      case .integer, .boolean: return .number(column: place)
      case .real: return .real(column: place)
      case .text: return .text(column: place)
      case .decimal, .date, .uuid, .url, .object, .entity: return nil
      }
    }
    guard let wanted = type.operandType,
      wanted.isNumeric ? value.isNumeric : value == wanted
    else { return nil }
    return switch wanted {
    case .integer, .boolean, .decimal, .real: .number(column: place)
    default: type.field(column: place)
    }
  }

  private func order(_ descriptors: [NSSortDescriptor]) -> [String]? {
    var terms: [String] = []
    for descriptor in descriptors {
      guard let key = descriptor.sortKey?.key,
        let value = compiler.operand(.key(key), compiler.scope),
        let term = compiler.orderTerm(value, descriptor)
      else { return nil }
      terms.append(term)
    }
    return terms
  }
}
