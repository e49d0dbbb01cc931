import PredicateFormat

/// The keys of the source object that an expression of a mapping reads: `title` of `$source.title` and of
/// `FUNCTION($source, "valueForKey:", "title")`, but not the `source` of these, nor what is said about other objects.
struct SourceKeys {
  private(set) var names: Set<String> = []

  /// The keys that an expression reads.
  init(in expression: ExpressionTree) { read(expression) }

  private mutating func read(_ tree: ExpressionTree) {
    switch tree {
    case .constant, .evaluatedObject, .variable, .symbol, .anyKey: break
    case .keyPathSpecifier(let path): add(path)
    case .keyPath(let path):
      if Self.isSource(path.operand) { add(path.path) }
      read(path.operand)
    case .function(let call): read(call)
    case .set(_, let left, let right): read([left, right])
    case .subquery(let collection, _, let predicate):
      read(collection)
      read(predicate)
    case .aggregate(let elements): read(elements)
    case .conditional(let condition, let yes, let no):
      read(condition)
      read([yes, no])
    case .assignment(_, let value): read(value)
    case .fetch(let request, let context, _): read([request, context])
    case .block(_, let arguments): read(arguments)
    }
  }

  private mutating func read(_ trees: [ExpressionTree]) {
    for tree in trees { read(tree) }
  }

  private mutating func read(_ call: ExpressionTree.Function) {
    read(call.arguments)
    guard !call.isBuiltIn else { return }
    read(call.operand)
    guard Self.isSource(call.operand) else { return }
    if call.arguments.isEmpty { add(call.selector) }
    for case .constant(.string(let path)) in call.arguments { add(path) }
  }

  private mutating func read(_ predicate: PredicateTree) {
    switch predicate {
    case .value, .opaque: break
    case .comparison(let comparison): read([comparison.left, comparison.right])
    case .compound(_, let members): for member in members { read(member) }
    }
  }

  /// Whether an expression is the source object, which is also the one that expressions are evaluated with.
  private static func isSource(_ tree: ExpressionTree) -> Bool {
    tree == .variable("source") || tree == .evaluatedObject
  }

  /// Adds the first key of a path; the others are those of related objects.
  private mutating func add(_ path: String) {
    let keys = path.split(separator: ".")
    if let key = keys.first(where: { !$0.hasPrefix("@") && $0.lowercased() != "self" }) {
      names.insert(String(key))
    }
  }
}
