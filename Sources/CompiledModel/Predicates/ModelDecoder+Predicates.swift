import Foundation
import KeyedArchive
import PredicateFormat

extension ModelDecoder {
  /// How deep predicates and expressions may nest: as deep as text may.
  private var depthLimit: Int { min(archive.limits.depth, PredicateLimits.depth) }

  /// Makes the predicate that an object describes.
  func predicate(_ number: Int) throws(ArchiveError) -> NSPredicate {
    let type = try reader.type(of: number, .predicate)
    if type.kind == .unknown {
      return ArchivedPredicate(ArchivedValue(source: source, number: number))
    }
    return try predicateTree(number, 0).predicate
  }

  /// Makes the expression that an object describes.
  func expressionDescription(_ number: Int) throws(ArchiveError) -> PredicateFormat.NSExpression {
    PredicateFormat.NSExpression(try expressionTree(number, 0))
  }

  // MARK: Predicates

  private func predicateTree(
    _ number: Int, _ depth: Int
  ) throws(ArchiveError) -> PredicateTree {
    try enter(number, depth)
    let type = try reader.type(of: number, .predicate)
    switch type.kind {
    case .truePredicate: return .value(true)
    case .falsePredicate: return .value(false)
    case .comparison: return .comparison(try comparison(number, depth))
    case .compound:
      let fields = try fields(of: number)
      let rawKind = try integer(.compoundType, fields, number) ?? -1
      guard let kind = PredicateTree.CompoundKind(rawValue: rawKind) else {
        throw ArchiveError(
          .invalidContent, "\(rawKind) is no type of a compound predicate", object: number,
          key: ModelKey.compoundType.text)
      }
      var members: [PredicateTree] = []
      if let list = try reference(.subpredicates, fields, number) {
        for member in try reader.members(ofCollection: list, .subpredicates) {
          members.append(try predicateTree(member, depth + 1))
        }
      }
      return .compound(kind, members)
    case .unknown:
      let kept = ArchivedPredicate(ArchivedValue(source: source, number: number))
      return .opaque(OpaquePredicate(kept))
    default:
      throw ArchiveError(
        .typeMismatch, "expected a predicate, found \(described(type).name)", object: number)
    }
  }

  private func comparison(
    _ number: Int, _ depth: Int
  ) throws(ArchiveError) -> PredicateTree.Comparison {
    let fields = try fields(of: number)
    let left = try expressionTree(required(.leftExpression, fields, number), depth + 1)
    let right = try expressionTree(required(.rightExpression, fields, number), depth + 1)
    let object = try required(.predicateOperator, fields, number)
    let operatorType = try reader.type(of: object, .predicateOperator)
    guard operatorType.kind == .predicateOperator else {
      throw ArchiveError(
        .typeMismatch, "expected an operator, found \(described(operatorType).name)",
        object: object, key: ModelKey.predicateOperator.text)
    }
    let operatorFields = try self.fields(of: object)
    let rawType = try integer(.operatorType, operatorFields, object) ?? -1
    guard let type = UInt(exactly: rawType).flatMap(ComparisonOperator.init) else {
      throw ArchiveError(
        .invalidContent, "\(rawType) is no operator", object: object,
        key: ModelKey.operatorType.text)
    }
    let rawModifier = try integer(.modifier, operatorFields, object) ?? 0
    guard let modifier = UInt(exactly: rawModifier).flatMap(ComparisonModifier.init) else {
      throw ArchiveError(
        .invalidContent, "\(rawModifier) is no modifier", object: object,
        key: ModelKey.modifier.text)
    }
    let stringOptions = try integer(.operatorFlags, operatorFields, object)
    let options = try integer(.options, operatorFields, object) ?? stringOptions ?? 0
    return PredicateTree.Comparison(
      left: left, type: type, right: right, modifier: modifier,
      options: ComparisonOptions(rawValue: UInt(truncatingIfNeeded: options)),
      customSelector: try string(.selectorName, operatorFields, object))
  }

  // MARK: Expressions

  private func expressionTree(
    _ number: Int, _ depth: Int
  ) throws(ArchiveError) -> ExpressionTree {
    try enter(number, depth)
    let type = try reader.type(of: number, .expression)
    let fields = try fields(of: number)
    func expression(_ key: ModelKey) throws(ArchiveError) -> ExpressionTree {
      try expressionTree(required(key, fields, number), depth + 1)
    }
    switch type.kind {
    case .selfExpression: return .evaluatedObject
    case .anyKey: return .anyKey
    case .constant: return .constant(try constant(fields, number))
    case .variable: return .variable(try text(.variable, fields, number))
    case .keyPathSpecifier: return .keyPathSpecifier(try text(.keyPath, fields, number))
    case .keyPath: return try keyPath(fields, number, depth)
    case .function: return try function(fields, number, depth)
    case .aggregate:
      guard let list = try reference(.collection, fields, number) else { return .aggregate([]) }
      return .aggregate(try expressions(list, .collection, depth))
    case .setExpression:
      let rawType = try integer(.expressionType, fields, number) ?? 0
      guard let operation = ExpressionTree.SetOperation(rawValue: rawType) else {
        throw ArchiveError(
          .invalidContent, "\(rawType) is no set operation", object: number,
          key: ModelKey.expressionType.text)
      }
      return .set(operation, try expression(.leftExpression), try expression(.rightExpression))
    case .subquery:
      return .subquery(
        collection: try expression(.expression), variable: try text(.variable, fields, number),
        predicate: try predicateTree(required(.subpredicate, fields, number), depth + 1))
    case .ternary:
      return .conditional(
        try predicateTree(required(.predicate, fields, number), depth + 1),
        try expression(.trueExpression), try expression(.falseExpression))
    case .assignment:
      return .assignment(
        variable: try text(.assignmentVariable, fields, number),
        value: try expression(.subexpression))
    case .symbolic: return .symbol(try text(.token, fields, number))
    case .fetchExpression:
      return .fetch(
        request: try expression(.fetchRequestExpression),
        context: try expression(.managedObjectContext),
        countOnly: try boolean(.isCountOnly, fields, number))
    case .unknown:
      let kept = ArchivedValue(source: source, number: number)
      return .constant(.object(OpaqueObject(kept)))
    default:
      throw ArchiveError(
        .typeMismatch, "expected an expression, found \(described(type).name)", object: number)
    }
  }

  private func keyPath(
    _ fields: [ModelKey: ArchiveFieldReader.Field], _ number: Int, _ depth: Int
  ) throws(ArchiveError) -> ExpressionTree {
    let operand = try expressionTree(required(.operand, fields, number), depth + 1)
    let list = try required(.arguments, fields, number)
    let arguments = try expressions(list, .arguments, depth)
    let selector = try text(.selectorName, fields, number)
    switch arguments.first {
    case .keyPathSpecifier(let path) where arguments.count == 1,
      .constant(.string(let path)) where arguments.count == 1:
      return .keyPath(ExpressionTree.KeyPath(path, from: operand, selector: selector))
    default:
      throw ArchiveError(
        .invalidContent, "a key path expression has no key path", object: number,
        key: ModelKey.arguments.text)
    }
  }

  private func function(
    _ fields: [ModelKey: ArchiveFieldReader.Field], _ number: Int, _ depth: Int
  ) throws(ArchiveError) -> ExpressionTree {
    let selector = try text(.selectorName, fields, number)
    let operand = try expressionTree(required(.operand, fields, number), depth + 1)
    var arguments: [ExpressionTree] = []
    var isMutable = false
    if let list = try reference(.arguments, fields, number) {
      arguments = try expressions(list, .arguments, depth)
      isMutable = try described(reader.type(of: list)).name == "NSMutableArray"
    }
    return .function(
      ExpressionTree.Function(
        selector, arguments, on: operand, hasMutableArguments: isMutable))
  }

  private func expressions(
    _ list: Int, _ key: ModelKey, _ depth: Int
  ) throws(ArchiveError) -> [ExpressionTree] {
    var expressions: [ExpressionTree] = []
    for member in try reader.members(ofCollection: list, key) {
      expressions.append(try expressionTree(member, depth + 1))
    }
    return expressions
  }

  private func constant(
    _ fields: [ModelKey: ArchiveFieldReader.Field], _ number: Int
  ) throws(ArchiveError) -> PredicateValue {
    if let name = try string(.constantValueClassName, fields, number) { return .className(name) }
    guard let target = try reference(.constantValue, fields, number) else { return .null }
    switch archive.object(at: target) {
    case .value(.float(let value)): return .float(value)
    case .value(.integer(let value, _)):
      if let value = Int64(exactly: value) { return .integer(value) }
      if let value = UInt64(exactly: value) { return .unsigned(value) }
    case .instance(let type, _) where ArchivedModelClass.kind(of: type) == .unknown:
      return .object(OpaqueObject(ArchivedValue(source: source, number: target)))
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

  private func enter(_ number: Int, _ depth: Int) throws(ArchiveError) {
    try spend(on: number)
    guard depth <= depthLimit else {
      throw ArchiveError(
        .limitExceeded, "predicates and expressions nest more than \(depthLimit) deep",
        object: number)
    }
  }

  private func fields(
    of number: Int
  ) throws(ArchiveError) -> [ModelKey: ArchiveFieldReader.Field] {
    var fields: [ModelKey: ArchiveFieldReader.Field] = [:]
    try reader.forEachField(of: number) { field throws(ArchiveError) in
      if let key = field.key { fields[key] = field }
    }
    return fields
  }

  private func reference(
    _ key: ModelKey, _ fields: [ModelKey: ArchiveFieldReader.Field], _ number: Int
  ) throws(ArchiveError) -> Int? {
    guard let field = fields[key] else { return nil }
    return try reader.reference(field, of: number)
  }

  private func required(
    _ key: ModelKey, _ fields: [ModelKey: ArchiveFieldReader.Field], _ number: Int
  ) throws(ArchiveError) -> Int {
    guard let target = try reference(key, fields, number) else {
      throw ArchiveError(.valueNotFound, "expected an object", object: number, key: key.text)
    }
    return target
  }

  private func integer(
    _ key: ModelKey, _ fields: [ModelKey: ArchiveFieldReader.Field], _ number: Int
  ) throws(ArchiveError) -> Int? {
    guard let field = fields[key] else { return nil }
    return try reader.integer(field, of: number)
  }

  private func boolean(
    _ key: ModelKey, _ fields: [ModelKey: ArchiveFieldReader.Field], _ number: Int
  ) throws(ArchiveError) -> Bool {
    guard let field = fields[key] else { return false }
    return try reader.boolean(field, of: number)
  }

  private func string(
    _ key: ModelKey, _ fields: [ModelKey: ArchiveFieldReader.Field], _ number: Int
  ) throws(ArchiveError) -> String? {
    guard let field = fields[key] else { return nil }
    return try reader.string(field, of: number)
  }

  private func text(
    _ key: ModelKey, _ fields: [ModelKey: ArchiveFieldReader.Field], _ number: Int
  ) throws(ArchiveError) -> String {
    guard let text = try string(key, fields, number) else {
      throw ArchiveError(.valueNotFound, "expected text", object: number, key: key.text)
    }
    return text
  }
}
