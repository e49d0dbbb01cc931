import Foundation

/// An expression as a value: one side of a comparison, a function's argument, a derived attribute.
///
/// ```swift
/// let pay = ExpressionTree.call("multiply:by:", .key("hours"), .key("rate"))
/// print(pay.canonicalFormat)  // hours * rate
/// let expression = NSExpression(pay)
/// ```
///
/// Each case corresponds to one of the `NSExpression` classes that Core Data archives, so that decoding and encoding an
/// archive is lossless. See ``PredicateTree``.
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

  /// The plain text of a key path (`NSKeyPathSpecifierExpression`), other than as the argument of a ``keyPath(_:)``,
  /// which contains its own.
  case keyPathSpecifier(String)

  /// `FIRST`, `LAST` or `SIZE` as an index (`NSSymbolicExpression`); other names are preserved.
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

  /// A block with arguments, which has no textual form (`NSBlockExpression`).
  case block(OpaqueBlock, [ExpressionTree])
}

extension ExpressionTree {
  /// Creates a key path from the evaluated object, such as `name` or `department.name`.
  public static func key(_ path: String) -> ExpressionTree { .keyPath(KeyPath(path)) }

  /// Creates a call of a built-in function, given its selector, such as `sum:` or `add:to:`.
  public static func call(_ selector: String, _ arguments: ExpressionTree...) -> ExpressionTree {
    .function(Function(selector, arguments))
  }

  /// The number that identifies the type of expression in archives and in `NSExpression.ExpressionType`
  /// (`NSExpressionType`).
  ///
  /// A key path from something other than the evaluated object is archived as a function call (4), as found in real
  /// files; 11, 12, and 50 are the numbers of Foundation classes that aren't in any header.
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
  /// A block that takes the evaluated object, the arguments' values, and the context.
  public typealias Body = (Any?, [Any], NSMutableDictionary?) -> Any

  /// The block.
  public let body: Body

  /// Wraps a block.
  public init(_ body: @escaping Body) { self.body = body }

  /// Whether both are the same object.
  public static func == (left: OpaqueBlock, right: OpaqueBlock) -> Bool { left === right }

  /// Hashes by identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ExpressionTree {
  /// Whether the expression is the constant nil.
  package var isNothing: Bool {
    if case .constant(let value) = self { value.isNothing } else { false }
  }

  /// Whether the expression is a list contained in the predicate itself.
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
    /// The expression that the path is read from; usually ``ExpressionTree/evaluatedObject``.
    public var operand: ExpressionTree
    /// The keys joined by dots, including operators such as `@count`.
    public var path: String
    /// The selector named in archives (`NSSelectorName`): ``standardSelector(for:from:)``, unless an archive specified
    /// another.
    public var selector: String

    /// Creates a key path.
    ///
    /// - Parameters:
    ///   - path: The keys, separated by dots.
    ///   - operand: The expression at which the path starts. Default: the evaluated object.
    ///   - selector: The selector; nil for the standard one.
    public init(
      _ path: String, from operand: ExpressionTree = .evaluatedObject, selector: String? = nil
    ) {
      self.operand = operand
      self.path = path
      self.selector = selector ?? Self.standardSelector(for: path, from: operand)
    }

    /// The selector that Core Data archives for a path: `valueForKey:` for a single key of the evaluated object,
    /// `valueForKeyPath:` for a dotted path and for any path of another operand.
    public static func standardSelector(
      for path: String, from operand: ExpressionTree
    ) -> String {
      operand == .evaluatedObject && !path.utf8.contains(UInt8(ascii: "."))
        ? "valueForKey:" : "valueForKeyPath:"
    }
  }
}

extension ExpressionTree {
  /// The operation of a set expression. The raw values are those of archives.
  public enum SetOperation: Int, Hashable, Sendable, CaseIterable {
    /// `UNION`: the elements of either side.
    case union = 5
    /// `INTERSECT`: the elements of both sides.
    case intersect = 6
    /// `MINUS`: the elements of the left side that aren't in the right side.
    case minus = 7

    /// The keyword of the operation in the predicate format.
    public var keyword: String {
      switch self {
      case .union: "UNION"
      case .intersect: "INTERSECT"
      case .minus: "MINUS"
      }
    }
  }
}

extension ExpressionTree {
  /// The key path operators that may end derivation expressions, and the corresponding functions.
  private static let aggregates = [
    "@count": "count:", "@sum": "sum:", "@min": "min:", "@max": "max:", "@avg": "average:",
  ]

  /// The expression as stored by a derived attribute: `items.@count` becomes a call of `count:` with `items`.
  ///
  /// Such a call is created in code rather than by the parser, so archives store its argument in another kind of array.
  /// This method also restores such a call after it was printed and parsed again.
  public var compiledForDerivation: ExpressionTree {
    switch self {
    case .keyPath(let path) where path.operand == .evaluatedObject:
      guard let point = path.path.lastIndex(of: "."),
        let selector = Self.aggregates[String(path.path[path.path.index(after: point)...])]
      else { return self }
      return .function(
        Function(selector, [.key(String(path.path[..<point]))], hasMutableArguments: false))
    case .function(var function):
      guard function.isBuiltIn, Self.aggregates.values.contains(function.selector),
        function.arguments.count == 1, case .keyPath = function.arguments[0]
      else { return self }
      function.hasMutableArguments = false
      return .function(function)
    default: return self
    }
  }
}
