import Foundation
import PredicateFormat
import PropertyLists

extension ModelEncoder {
  /// Encodes a predicate, or nil.
  func put(
    _ key: ModelKey, _ predicate: NSPredicate?, into assembler: inout Assembler
  ) throws(ArchiveError) {
    guard let predicate else { return assembler.putNil(key.id) }
    putObject(key.id, try item(predicate), into: &assembler)
  }

  /// Encodes an expression, or nil; `SELF` is a single object shared by the whole archive.
  func put(_ key: ModelKey, _ tree: ExpressionTree?, into assembler: inout Assembler) {
    guard let tree else { return assembler.putNil(key.id) }
    put(key, element(tree, into: &assembler), into: &assembler)
  }

  /// The item for a predicate.
  ///
  /// - Throws: ``ArchiveError`` for a block.
  func item(_ predicate: NSPredicate) throws(ArchiveError) -> Item {
    if let kept = predicate as? ArchivedPredicate {
      return .foreign(kept.value.source, kept.value.number)
    }
    return .predicate(predicate.tree)
  }

  // MARK: Predicates

  func encode(
    _ tree: PredicateTree, into assembler: inout Assembler
  ) throws(ArchiveError) -> Int {
    switch tree {
    case .value(let value):
      return assembler.classIndex(
        ArchiveClass(value ? "NSTruePredicate" : "NSFalsePredicate", "NSPredicate", "NSObject"))
    case .comparison(let comparison):
      put(.leftExpression, comparison.left, into: &assembler)
      put(.rightExpression, comparison.right, into: &assembler)
      putObject(ModelKey.predicateOperator.id, .comparisonOperator(comparison), into: &assembler)
      return assembler.classIndex(
        ArchiveClass("NSComparisonPredicate", "NSPredicate", "NSObject"))
    case .compound(let kind, let members):
      var elements: [Element] = []
      for member in members { elements.append(.item(try item(member), nil)) }
      putObject(ModelKey.subpredicates.id, .array(elements, isMutable: false), into: &assembler)
      assembler.put(ModelKey.compoundType.id, int64: kind.rawValue)
      return assembler.classIndex(ArchiveClass("NSCompoundPredicate", "NSPredicate", "NSObject"))
    case .opaque:
      throw ArchiveError(
        .invalidContent, "a predicate made of a block cannot be archived; write it as text")
    }
  }

  private func item(_ tree: PredicateTree) throws(ArchiveError) -> Item {
    if case .opaque(let opaque) = tree { return try item(opaque.predicate) }
    return .predicate(tree)
  }

  func encodeOperator(
    _ comparison: PredicateTree.Comparison, into assembler: inout Assembler
  ) -> Int {
    let form = OperatorForm(comparison.type)
    assembler.put(ModelKey.operatorType.id, int64: Int(comparison.type.rawValue))
    assembler.put(ModelKey.modifier.id, int64: Int(comparison.modifier.rawValue))
    let options = Int(truncatingIfNeeded: comparison.options.rawValue)
    switch form {
    case .equality:
      assembler.put(ModelKey.negate.id, boolean: comparison.type == .notEqualTo)
      assembler.put(ModelKey.options.id, int64: options)
    case .order:
      assembler.put(ModelKey.variant.id, int64: Int(comparison.type.rawValue))
      assembler.put(ModelKey.options.id, int64: options)
    case .matching, .like, .membership:
      assembler.put(ModelKey.operatorFlags.id, int64: options)
    case .substring:
      assembler.put(ModelKey.operatorFlags.id, int64: options)
      assembler.put(ModelKey.position.id, int64: comparison.type == .endsWith ? 1 : 0)
    case .between: break
    case .custom:
      assembler.put(
        ModelKey.selectorName.id, leaf: comparison.customSelector.map { assembler.text($0) })
    }
    return assembler.classIndex(form.archiveClass)
  }

  // MARK: Expressions

  func encode(
    _ tree: ExpressionTree, into assembler: inout Assembler
  ) throws(ArchiveError) -> Int {
    assembler.put(ModelKey.expressionType.id, int64: tree.archivedType)
    switch tree {
    case .constant(let value):
      return try encodeConstant(value, into: &assembler)
    case .evaluatedObject:
      return expressionClass("NSSelfExpression", into: &assembler)
    case .anyKey:
      return expressionClass("NSAnyKeyExpression", into: &assembler)
    case .variable(let name):
      assembler.put(ModelKey.variable.id, leaf: assembler.distinctText(name))
      return expressionClass("NSVariableExpression", into: &assembler)
    case .keyPathSpecifier(let path):
      assembler.put(ModelKey.keyPath.id, leaf: assembler.distinctText(path))
      return expressionClass("NSKeyPathSpecifierExpression", into: &assembler)
    case .keyPath(let path):
      assembler.put(ModelKey.selectorName.id, leaf: selector(path.selector, into: &assembler))
      put(.operand, path.operand, into: &assembler)
      putObject(
        ModelKey.arguments.id,
        .array([.item(.keyPathSpecifier(path.path), nil)], isMutable: true), into: &assembler)
      return assembler.classIndex(
        ArchiveClass("NSKeyPathExpression", "NSFunctionExpression", "NSExpression", "NSObject"))
    case .function(let function):
      assembler.put(ModelKey.selectorName.id, leaf: selector(function, into: &assembler))
      put(.operand, function.operand, into: &assembler)
      putObject(
        ModelKey.arguments.id,
        .array(
          function.arguments.map { element($0, into: &assembler) },
          isMutable: function.hasMutableArguments), into: &assembler)
      return expressionClass("NSFunctionExpression", into: &assembler)
    default: return try encodeRare(tree, into: &assembler)
    }
  }

  func encodeKeyPathSpecifier(_ path: String, into assembler: inout Assembler) -> Int {
    let tree = ExpressionTree.keyPathSpecifier(path)
    assembler.put(ModelKey.expressionType.id, int64: tree.archivedType)
    assembler.put(ModelKey.keyPath.id, leaf: assembler.distinctText(path))
    return expressionClass("NSKeyPathSpecifierExpression", into: &assembler)
  }

  /// Encodes expressions not found in any known file; their keys have not been confirmed by one.
  private func encodeRare(
    _ tree: ExpressionTree, into assembler: inout Assembler
  ) throws(ArchiveError) -> Int {
    switch tree {
    case .aggregate(let members):
      putObject(
        ModelKey.collection.id,
        .array(members.map { element($0, into: &assembler) }, isMutable: false), into: &assembler)
      return expressionClass("NSAggregateExpression", into: &assembler)
    case .set(_, let left, let right):
      put(.leftExpression, left, into: &assembler)
      put(.rightExpression, right, into: &assembler)
      return expressionClass("NSSetExpression", into: &assembler)
    case .symbol(let token):
      assembler.put(ModelKey.token.id, leaf: assembler.distinctText(token))
      return expressionClass("NSSymbolicExpression", into: &assembler)
    case .subquery(let collection, let variable, let predicate):
      put(.expression, collection, into: &assembler)
      assembler.put(ModelKey.variable.id, leaf: assembler.distinctText(variable))
      putObject(ModelKey.subpredicate.id, try item(predicate), into: &assembler)
      return expressionClass("NSSubqueryExpression", into: &assembler)
    case .conditional(let predicate, let whenTrue, let whenFalse):
      putObject(ModelKey.predicate.id, try item(predicate), into: &assembler)
      put(.trueExpression, whenTrue, into: &assembler)
      put(.falseExpression, whenFalse, into: &assembler)
      return expressionClass("NSTernaryExpression", into: &assembler)
    case .assignment(let variable, let value):
      assembler.put(ModelKey.assignmentVariable.id, leaf: assembler.distinctText(variable))
      put(.subexpression, value, into: &assembler)
      return expressionClass("NSVariableAssignmentExpression", into: &assembler)
    case .fetch(let request, let context, let countOnly):
      put(.fetchRequestExpression, request, into: &assembler)
      put(.managedObjectContext, context, into: &assembler)
      assembler.put(ModelKey.isCountOnly.id, boolean: countOnly)
      return expressionClass("NSFetchRequestExpression", into: &assembler)
    default:
      throw ArchiveError(
        .invalidContent, "an expression made of a block cannot be archived; write it as text")
    }
  }

  /// The text of a filter that accepts everything, a constant of the mapping compiler.
  private static let everything = "TRUEPREDICATE"

  private func encodeConstant(
    _ value: PredicateValue, into assembler: inout Assembler
  ) throws(ArchiveError) -> Int {
    switch value {
    case .null: assembler.putNil(ModelKey.constantValueClassName.id)
    case .className(let name):
      assembler.put(ModelKey.constantValueClassName.id, leaf: assembler.distinctText(name))
    case .float(let value):
      assembler.put(ModelKey.constantValue.id, leaf: assembler.boxed(float: value))
    case .unsigned(let value):
      let node = assembler.addNode(integer: Int128(value), width: 16)
      assembler.put(ModelKey.constantValue.id, leaf: assembler.boxed(node: node))
    case .object(let object):
      guard let kept = object.base as? UnknownArchivedObject else {
        throw ArchiveError(
          .invalidContent, "a predicate contains an object of the program, which cannot be archived"
        )
      }
      putObject(
        ModelKey.constantValue.id, item: .foreign(kept.source, kept.number),
        identity: foreignIdentity(kept.source, kept.number, into: &assembler), into: &assembler)
    default:
      guard let archived = value.archiveValue else {
        throw ArchiveError(
          .invalidContent, "a predicate contains a constant that cannot be archived")
      }
      if encodesMapping, case .string(let text) = archived, text != Self.everything {
        assembler.put(ModelKey.constantValue.id, leaf: assembler.distinctText(text))
      } else {
        put(.constantValue, element(archived, into: &assembler), into: &assembler)
      }
    }
    return expressionClass("NSConstantValueExpression", into: &assembler)
  }

  private func element(_ tree: ExpressionTree, into assembler: inout Assembler) -> Element {
    .item(.expression(tree), tree == .evaluatedObject ? selfIdentity(into: &assembler) : nil)
  }

  private func selector(_ name: String, into assembler: inout Assembler) -> Identity {
    vintage.sharesSelectors ? assembler.text(name) : assembler.distinctText(name)
  }

  /// The names of built-in functions are string constants of Foundation; others are created from a selector.
  private func selector(
    _ function: ExpressionTree.Function, into assembler: inout Assembler
  ) -> Identity {
    function.isBuiltIn
      ? selector(function.selector, into: &assembler) : assembler.distinctText(function.selector)
  }

  private func expressionClass(_ name: String, into assembler: inout Assembler) -> Int {
    assembler.classIndex(ArchiveClass(name, "NSExpression", "NSObject"))
  }
}
