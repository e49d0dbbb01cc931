import Foundation
import PredicateFormat
import PropertyLists

extension ModelDecoder {
  /// The deepest nesting of predicates and expressions; the same as for predicate format strings.
  private var depthLimit: Int { min(archive.limits.depth, PredicateLimits.depth) }

  /// Decodes a predicate from an object.
  func predicate(_ number: Int) throws(ArchiveError) -> NSPredicate {
    let type = try reader.type(of: number, .predicate)
    if type.kind == .unknown {
      return ArchivedPredicate(UnknownArchivedObject(source: source, number: number))
    }
    return try predicateTree(number, depth: 0).predicate
  }

  /// Decodes an expression from an object.
  func expressionDescription(_ number: Int) throws(ArchiveError) -> PredicateFormat.NSExpression {
    PredicateFormat.NSExpression(try expressionTree(number, depth: 0))
  }

  // MARK: Predicates

  private func predicateTree(
    _ number: Int, depth: Int
  ) throws(ArchiveError) -> PredicateTree {
    try enter(number, depth: depth)
    let type = try reader.type(of: number, .predicate)
    switch type.kind {
    case .truePredicate: return .value(true)
    case .falsePredicate: return .value(false)
    case .comparison: return .comparison(try comparison(number, depth: depth))
    case .compound:
      let fields = try fields(of: number)
      let rawKind = try fields.integer(.compoundType) ?? -1
      guard let kind = PredicateTree.CompoundKind(rawValue: rawKind) else {
        throw ArchiveError(
          .invalidContent, "\(rawKind) isn't a type of a compound predicate", object: number,
          key: ModelKey.compoundType.text)
      }
      var members: [PredicateTree] = []
      if let list = try fields.reference(.subpredicates) {
        for member in try reader.members(ofCollection: list, .subpredicates) {
          members.append(try predicateTree(member, depth: depth + 1))
        }
      }
      return .compound(kind, members)
    case .unknown:
      let kept = ArchivedPredicate(UnknownArchivedObject(source: source, number: number))
      return .opaque(OpaquePredicate(kept))
    default:
      throw ArchiveError(
        .typeMismatch, "expected a predicate, found \(described(type).name)", object: number)
    }
  }

  private func comparison(
    _ number: Int, depth: Int
  ) throws(ArchiveError) -> PredicateTree.Comparison {
    let fields = try fields(of: number)
    let left = try expressionTree(fields.required(.leftExpression), depth: depth + 1)
    let right = try expressionTree(fields.required(.rightExpression), depth: depth + 1)
    let object = try fields.required(.predicateOperator)
    let operatorType = try reader.type(of: object, .predicateOperator)
    guard operatorType.kind == .predicateOperator else {
      throw ArchiveError(
        .typeMismatch, "expected an operator, found \(described(operatorType).name)",
        object: object, key: ModelKey.predicateOperator.text)
    }
    let operatorFields = try self.fields(of: object)
    let rawType = try operatorFields.integer(.operatorType) ?? -1
    guard let type = UInt(exactly: rawType).flatMap(ComparisonOperator.init) else {
      throw ArchiveError(
        .invalidContent, "\(rawType) isn't an operator", object: object,
        key: ModelKey.operatorType.text)
    }
    let rawModifier = try operatorFields.integer(.modifier) ?? 0
    guard let modifier = UInt(exactly: rawModifier).flatMap(ComparisonModifier.init) else {
      throw ArchiveError(
        .invalidContent, "\(rawModifier) isn't a modifier", object: object,
        key: ModelKey.modifier.text)
    }
    let stringOptions = try operatorFields.integer(.operatorFlags)
    let options = try operatorFields.integer(.options) ?? stringOptions ?? 0
    return PredicateTree.Comparison(
      left: left, type: type, right: right, modifier: modifier,
      options: ComparisonOptions(rawValue: UInt(truncatingIfNeeded: options)),
      customSelector: try operatorFields.string(.selectorName))
  }

  // MARK: Expressions

  private func expressionTree(
    _ number: Int, depth: Int
  ) throws(ArchiveError) -> ExpressionTree {
    try enter(number, depth: depth)
    let type = try reader.type(of: number, .expression)
    let fields = try fields(of: number)
    func expression(_ key: ModelKey) throws(ArchiveError) -> ExpressionTree {
      try expressionTree(fields.required(key), depth: depth + 1)
    }
    switch type.kind {
    case .selfExpression: return .evaluatedObject
    case .anyKey: return .anyKey
    case .constant: return .constant(try constant(fields))
    case .variable: return .variable(try fields.text(.variable))
    case .keyPathSpecifier: return .keyPathSpecifier(try fields.text(.keyPath))
    case .keyPath: return try keyPath(fields, depth: depth)
    case .function: return try function(fields, depth: depth)
    case .aggregate:
      guard let list = try fields.reference(.collection) else { return .aggregate([]) }
      return .aggregate(try expressions(in: list, at: .collection, depth: depth))
    case .setExpression:
      let rawType = try fields.integer(.expressionType) ?? 0
      guard let operation = ExpressionTree.SetOperation(rawValue: rawType) else {
        throw ArchiveError(
          .invalidContent, "\(rawType) isn't a set operation", object: number,
          key: ModelKey.expressionType.text)
      }
      return .set(operation, try expression(.leftExpression), try expression(.rightExpression))
    case .subquery:
      return .subquery(
        collection: try expression(.expression), variable: try fields.text(.variable),
        predicate: try predicateTree(fields.required(.subpredicate), depth: depth + 1))
    case .ternary:
      return .conditional(
        try predicateTree(fields.required(.predicate), depth: depth + 1),
        try expression(.trueExpression), try expression(.falseExpression))
    case .assignment:
      return .assignment(
        variable: try fields.text(.assignmentVariable),
        value: try expression(.subexpression))
    case .symbolic: return .symbol(try fields.text(.token))
    case .fetchExpression:
      return .fetch(
        request: try expression(.fetchRequestExpression),
        context: try expression(.managedObjectContext),
        countOnly: try fields.boolean(.isCountOnly))
    case .unknown:
      let kept = UnknownArchivedObject(source: source, number: number)
      return .constant(.object(OpaqueObject(kept)))
    default:
      throw ArchiveError(
        .typeMismatch, "expected an expression, found \(described(type).name)", object: number)
    }
  }

  private func keyPath(
    _ fields: ObjectFields, depth: Int
  ) throws(ArchiveError) -> ExpressionTree {
    let operand = try expressionTree(fields.required(.operand), depth: depth + 1)
    let list = try fields.required(.arguments)
    let arguments = try expressions(in: list, at: .arguments, depth: depth)
    let selector = try fields.text(.selectorName)
    switch arguments.first {
    case .keyPathSpecifier(let path) where arguments.count == 1,
      .constant(.string(let path)) where arguments.count == 1:
      return .keyPath(ExpressionTree.KeyPath(path, from: operand, selector: selector))
    default:
      throw ArchiveError(
        .invalidContent, "a key path expression has no key path", object: fields.number,
        key: ModelKey.arguments.text)
    }
  }

  private func function(
    _ fields: ObjectFields, depth: Int
  ) throws(ArchiveError) -> ExpressionTree {
    let selector = try fields.text(.selectorName)
    let operand = try expressionTree(fields.required(.operand), depth: depth + 1)
    var arguments: [ExpressionTree] = []
    var isMutable = false
    if let list = try fields.reference(.arguments) {
      arguments = try expressions(in: list, at: .arguments, depth: depth)
      isMutable = try described(reader.type(of: list)).name == "NSMutableArray"
    }
    return .function(
      ExpressionTree.Function(
        selector, arguments, on: operand, hasMutableArguments: isMutable))
  }

  private func expressions(
    in list: Int, at key: ModelKey, depth: Int
  ) throws(ArchiveError) -> [ExpressionTree] {
    var expressions: [ExpressionTree] = []
    for member in try reader.members(ofCollection: list, key) {
      expressions.append(try expressionTree(member, depth: depth + 1))
    }
    return expressions
  }

  private func constant(
    _ fields: ObjectFields
  ) throws(ArchiveError) -> PredicateValue {
    if let name = try fields.string(.constantValueClassName) { return .className(name) }
    guard let target = try fields.reference(.constantValue) else { return .null }
    switch archive.object(at: target) {
    case .value(.float(let value)): return .float(value)
    case .value(.integer(let value, _)):
      if let value = Int64(exactly: value) { return .integer(value) }
      if let value = UInt64(exactly: value) { return .unsigned(value) }
    case .instance(let type, _) where ArchivedModelClass.kind(of: type) == .unknown:
      return .object(OpaqueObject(UnknownArchivedObject(source: source, number: target)))
    case .instance(let type, _) where ArchivedModelClass.kind(of: type) == .orderedSet:
      if case .array(let members)? = try foundationValue(target) {
        return .orderedSet(members.map(PredicateValue.init))
      }
    default: break
    }
    guard let value = try foundationValue(target) else { return .null }
    return PredicateValue(value)
  }

  // MARK: Fields

  private func enter(_ number: Int, depth: Int) throws(ArchiveError) {
    try spend(on: number)
    guard depth <= depthLimit else {
      throw ArchiveError(
        .limitExceeded, "predicates and expressions nest more than \(depthLimit) deep",
        object: number)
    }
  }

  private func fields(of number: Int) throws(ArchiveError) -> ObjectFields {
    var fields: [ModelKey: ArchiveFieldReader.Field] = [:]
    try reader.forEachField(of: number) { field throws(ArchiveError) in
      if let key = field.key { fields[key] = field }
    }
    return ObjectFields(number: number, fields: fields, reader: reader)
  }
}

/// The fields of one object, accessible by key.
private struct ObjectFields {
  /// The object's number.
  let number: Int
  let fields: [ModelKey: ArchiveFieldReader.Field]
  let reader: ArchiveFieldReader

  func reference(_ key: ModelKey) throws(ArchiveError) -> Int? {
    guard let field = fields[key] else { return nil }
    return try reader.reference(field, of: number)
  }

  func required(_ key: ModelKey) throws(ArchiveError) -> Int {
    guard let target = try reference(key) else {
      throw ArchiveError(.valueNotFound, "expected an object", object: number, key: key.text)
    }
    return target
  }

  func integer(_ key: ModelKey) throws(ArchiveError) -> Int? {
    guard let field = fields[key] else { return nil }
    return try reader.integer(field, of: number)
  }

  func boolean(_ key: ModelKey) throws(ArchiveError) -> Bool {
    guard let field = fields[key] else { return false }
    return try reader.boolean(field, of: number)
  }

  func string(_ key: ModelKey) throws(ArchiveError) -> String? {
    guard let field = fields[key] else { return nil }
    return try reader.string(field, of: number)
  }

  func text(_ key: ModelKey) throws(ArchiveError) -> String {
    guard let text = try string(key) else {
      throw ArchiveError(.valueNotFound, "expected text", object: number, key: key.text)
    }
    return text
  }
}
