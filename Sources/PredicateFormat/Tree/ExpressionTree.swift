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

extension ExpressionTree {
  /// Whether the expression is the constant nil.
  package var isNothing: Bool {
    if case .constant(let value) = self { value.isNothing } else { false }
  }

  /// Whether the expression is a list that the predicate itself holds.
  var isList: Bool {
    switch self {
    case .aggregate: true
    case .constant(let value): value.collectionElements != nil
    default: false
    }
  }
}

extension ExpressionTree {
  /// A key path read from an expression: `name`, `department.name`, `$source.name`,
  /// `SUBQUERY(…).@count`.
  public struct KeyPath: Hashable, Sendable {
    /// What the path is read from; usually ``ExpressionTree/evaluatedObject``.
    public var operand: ExpressionTree
    /// The keys, joined by dots, operators such as `@count` included.
    public var path: String
    /// The selector that archives name (`NSSelectorName`): ``standardSelector(for:from:)``, unless
    /// an archive said otherwise.
    public var selector: String

    /// Makes a key path.
    ///
    /// - Parameters:
    ///   - path: the keys, with dots between them.
    ///   - operand: what the path begins at; the evaluated object by default.
    ///   - selector: nil for the usual one.
    public init(
      _ path: String, from operand: ExpressionTree = .evaluatedObject, selector: String? = nil
    ) {
      self.operand = operand
      self.path = path
      self.selector = selector ?? Self.standardSelector(for: path, from: operand)
    }

    /// The selector that Core Data archives for a path: `valueForKey:` for one key of the evaluated
    /// object, `valueForKeyPath:` for a dotted path and for any path of another operand.
    public static func standardSelector(
      for path: String, from operand: ExpressionTree
    ) -> String {
      operand == .evaluatedObject && !path.utf8.contains(UInt8(ascii: "."))
        ? "valueForKey:" : "valueForKeyPath:"
    }
  }
}

extension ExpressionTree {
  /// What a set expression does with its two sides; raw values as archived.
  public enum SetOperation: Int, Hashable, Sendable, CaseIterable {
    /// `UNION`: the elements of either side.
    case union = 5
    /// `INTERSECT`: the elements of both sides.
    case intersect = 6
    /// `MINUS`: the elements of the left side that the right side lacks.
    case minus = 7

    /// The operation as the format language spells it.
    public var keyword: String {
      switch self {
      case .union: "UNION"
      case .intersect: "INTERSECT"
      case .minus: "MINUS"
      }
    }
  }
}
