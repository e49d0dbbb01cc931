/// An outline of a tree that describes each part and its nested parts, for showing how a text was parsed.
///
/// ```
/// AND
///   age > 30
///     key path: age
///     integer: 30
/// ```
public struct TreeOutline: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The kind of part: `AND`, `comparison`, `key path`, `function`, `string`, …
  public var kind: String
  /// The part's own content, such as an operator, a name or a value.
  public var text: String
  /// The nested parts, in order.
  public var parts: [TreeOutline]

  /// Creates an outline.
  public init(_ kind: String, _ text: String = "", parts: [TreeOutline] = []) {
    self.kind = kind
    self.text = text
    self.parts = parts
  }

  /// Creates the outline of a predicate.
  public init(_ tree: PredicateTree) {
    switch tree {
    case .value(let value): self.init(value ? "TRUEPREDICATE" : "FALSEPREDICATE")
    case .comparison(let comparison): self.init(comparison)
    case .compound(let kind, let members):
      self.init("\(kind)".uppercased(), parts: members.map { TreeOutline($0) })
    case .opaque: self.init("block")
    }
  }

  private init(_ comparison: PredicateTree.Comparison) {
    var words = [comparison.customSelector ?? comparison.type.symbol]
    if comparison.modifier != .direct { words.insert("\(comparison.modifier)".uppercased(), at: 0) }
    if !comparison.options.letters.isEmpty { words.append("[\(comparison.options.letters)]") }
    self.init(
      "comparison", words.joined(separator: " "),
      parts: [TreeOutline(comparison.left), TreeOutline(comparison.right)])
  }

  /// Creates the outline of an expression.
  public init(_ tree: ExpressionTree) {
    switch tree {
    case .constant(let value): self.init(value.outlineKind, tree.canonicalFormat)
    case .evaluatedObject: self.init("SELF")
    case .variable(let name): self.init("variable", name)
    case .keyPath(let path):
      self.init(
        "key path", path.path,
        parts: path.operand == .evaluatedObject ? [] : [TreeOutline(path.operand)])
    case .function(let function):
      let target = function.isBuiltIn ? [] : [TreeOutline(function.operand)]
      self.init(
        "function", function.selector, parts: target + function.arguments.map { TreeOutline($0) })
    case .set(let operation, let left, let right):
      self.init(operation.keyword, parts: [TreeOutline(left), TreeOutline(right)])
    case .keyPathSpecifier(let path): self.init("key path specifier", path)
    case .symbol(let name): self.init("index", name)
    case .subquery(let collection, let variable, let predicate):
      self.init("SUBQUERY", variable, parts: [TreeOutline(collection), TreeOutline(predicate)])
    case .aggregate(let elements):
      self.init("aggregate", parts: elements.map { TreeOutline($0) })
    case .anyKey: self.init("ANYKEY")
    case .conditional(let predicate, let yes, let no):
      self.init("TERNARY", parts: [TreeOutline(predicate), TreeOutline(yes), TreeOutline(no)])
    case .assignment(let variable, let value):
      self.init("assignment", variable, parts: [TreeOutline(value)])
    case .fetch(let request, let context, let countOnly):
      self.init(
        "FETCH", countOnly ? "count" : "", parts: [TreeOutline(request), TreeOutline(context)])
    case .block(_, let arguments):
      self.init("block", parts: arguments.map { TreeOutline($0) })
    }
  }

  /// The outline as text: one line per part, with nested parts indented by two spaces.
  public var description: String {
    var lines: [String] = []
    append(to: &lines, indent: "")
    return lines.joined(separator: "\n")
  }

  private func append(to lines: inout [String], indent: String) {
    lines.append(indent + (text.isEmpty ? kind : "\(kind): \(text)"))
    for part in parts { part.append(to: &lines, indent: indent + "  ") }
  }
}

extension PredicateValue {
  /// The kind of a constant, in one word.
  fileprivate var outlineKind: String {
    switch self {
    case .null: "nil"
    case .nsNull: "null"
    case .bool: "boolean"
    case .integer, .unsigned: "integer"
    case .double: "double"
    case .float: "float"
    case .decimal: "decimal"
    case .string: "string"
    case .date: "date"
    case .data: "data"
    case .uuid: "UUID"
    case .url: "URL"
    case .array: "array"
    case .set: "set"
    case .orderedSet: "ordered set"
    case .dictionary: "dictionary"
    case .className: "class"
    case .object: "object"
    }
  }
}
