import Foundation

/// An expression as a value: one side of a comparison, a function's argument, a derived attribute.
///
/// Each case corresponds to one of the `NSExpression` classes that Core Data archives, so that
/// archive → tree → archive loses nothing. See ``PredicateTree``.
public indirect enum ExpressionTree: Hashable, Sendable {
  /// A value (`NSConstantValueExpression`).
  case constant(PredicateValue)

  /// `SELF` (`NSSelfExpression`).
  case evaluatedObject

  /// `$NAME`, without the `$` (`NSVariableExpression`).
  case variable(String)

  /// A key path, from the evaluated object or from another expression (`NSKeyPathExpression`).
  case keyPath(KeyPath)

  /// A call of a built-in function, or of a selector on a target (`NSFunctionExpression`).
  case function(Function)

  /// `left UNION right`, `INTERSECT`, `MINUS` (`NSSetExpression`).
  case set(SetOperation, ExpressionTree, ExpressionTree)

  /// The bare text of a key path (`NSKeyPathSpecifierExpression`), where it isn't the argument of a
  /// ``keyPath(_:)``, which holds its own.
  case keyPathSpecifier(String)

  /// `FIRST`, `LAST` or `SIZE` as an index (`NSSymbolicExpression`); other names are kept.
  case symbol(String)

  /// `SUBQUERY(collection, $variable, predicate)` (`NSSubqueryExpression`).
  case subquery(collection: ExpressionTree, variable: String, predicate: PredicateTree)

  /// `{a, b, c}` (`NSAggregateExpression`).
  case aggregate([ExpressionTree])

  /// `ANYKEY` (`NSAnyKeyExpression`).
  case anyKey

  /// `TERNARY(predicate, true, false)` (`NSTernaryExpression`).
  case conditional(PredicateTree, ExpressionTree, ExpressionTree)

  /// `$variable := value` (`NSVariableAssignmentExpression`).
  case assignment(variable: String, value: ExpressionTree)

  /// `FETCH(request, context, countOnly)` (`NSFetchRequestExpression`).
  case fetch(request: ExpressionTree, context: ExpressionTree, countOnly: Bool)

  /// A block with arguments, which has no text (`NSBlockExpression`).
  case block(OpaqueBlock, [ExpressionTree])
}

extension ExpressionTree {
  /// A key path from the evaluated object, such as `name` or `department.name`.
  public static func key(_ path: String) -> ExpressionTree { .keyPath(KeyPath(path)) }

  /// A call of a built-in function by its selector, such as `sum:` or `add:to:`.
  public static func call(_ selector: String, _ arguments: ExpressionTree...) -> ExpressionTree {
    .function(Function(selector, arguments))
  }

  /// The number by which archives and `NSExpression.ExpressionType` tell expressions apart
  /// (`NSExpressionType`).
  ///
  /// A key path from something other than the evaluated object is archived as a function call (4),
  /// as real files show; 11, 12, and 50 are the numbers of Foundation's classes that no header names.
  public var archivedType: Int {
    switch self {
    case .constant: 0
    case .evaluatedObject: 1
    case .variable: 2
    case .keyPath(let path): path.operand == .evaluatedObject ? 3 : 4
    case .function: 4
    case .set(let operation, _, _): operation.rawValue
    case .keyPathSpecifier: 10
    case .symbol: 11
    case .assignment: 12
    case .subquery: 13
    case .aggregate: 14
    case .anyKey: 15
    case .block: 19
    case .conditional: 20
    case .fetch: 50
    }
  }
}

/// The block of an `NSExpression(block:arguments:)`.
public final class OpaqueBlock: @unchecked Sendable, Hashable {
  /// Takes the evaluated object, the arguments' values, and the context.
  public typealias Body = (Any?, [Any], NSMutableDictionary?) -> Any

  /// The block.
  public let body: Body

  /// Wraps a block.
  public init(_ body: @escaping Body) { self.body = body }

  /// Equal when the same object.
  public static func == (left: OpaqueBlock, right: OpaqueBlock) -> Bool { left === right }

  /// Hashes by identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
