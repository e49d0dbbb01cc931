import PredicateFormat
import Testing

/// Visitors and outlines, as used by stores and tools.
@Suite struct VisitorTests {
  /// A simple SQL generator with separate bindings, like a store's.
  private struct SQLWriter: PredicateVisitor {
    var bindings: [PredicateValue] = []

    mutating func visit(constant: Bool) throws -> String { constant ? "1" : "0" }

    mutating func visit(comparison: PredicateTree.Comparison) throws -> String {
      let (left, right) = (
        try comparison.left.accept(&self), try comparison.right.accept(&self)
      )
      return "\(left) \(comparison.type.symbol) \(right)"
    }

    mutating func visit(
      compound kind: PredicateTree.CompoundKind, members: [PredicateTree]
    ) throws -> String {
      let parts = try members.map { try $0.accept(&self) }
      return kind == .not
        ? "NOT (\(parts[0]))" : "(\(parts.joined(separator: kind == .and ? " AND " : " OR ")))"
    }

    mutating func visit(constant: PredicateValue) throws -> String {
      bindings.append(constant)
      return "?"
    }

    mutating func visitEvaluatedObject() throws -> String { "Z_PK" }
    mutating func visit(variable: String) throws -> String { ":\(variable)" }
    mutating func visit(keyPath: ExpressionTree.KeyPath) throws -> String {
      "Z" + keyPath.path.uppercased()
    }
    mutating func visit(function: ExpressionTree.Function) throws -> String {
      throw PredicateFormatError(
        .unsupported, "unsupported function expression \(ExpressionTree.function(function))")
    }
    mutating func visit(
      subquery collection: ExpressionTree, variable: String, predicate: PredicateTree
    ) throws -> String { "EXISTS" }
    mutating func visit(aggregate: [ExpressionTree]) throws -> String {
      "(" + (try aggregate.map { try $0.accept(&self) }).joined(separator: ", ") + ")"
    }
    mutating func visit(
      conditional predicate: PredicateTree, then: ExpressionTree, else: ExpressionTree
    ) throws -> String { "CASE" }
  }

  @Test func `a predicate becomes SQL`() throws {
    var writer = SQLWriter()
    let tree = try PredicateTree(
      parsing: "age > 3 AND NOT (name == 'x' OR id IN {1, 2}) AND SELF == $me")
    #expect(
      try tree.accept(&writer)
        == "(ZAGE > ? AND NOT ((ZNAME == ? OR ZID IN (?, ?))) AND Z_PK == :me)")
    #expect(writer.bindings == [3, "x", 1, 2])
  }

  @Test(arguments: [
    ("length:(a) > 1", "unsupported function expression length:(a)"),
    ("a UNION b == c", "unsupported expression a UNION b"),
    ("ANYKEY == 1", "unsupported expression ANYKEY"),
  ])
  func `what has no SQL is named`(text: String, message: String) throws {
    var writer = SQLWriter()
    let tree = try PredicateTree(parsing: text)
    #expect(throws: PredicateFormatError(.unsupported, message)) { try tree.accept(&writer) }
  }

  @Test func `blocks have no SQL`() {
    var writer = SQLWriter()
    let tree = NSPredicate(block: { _, _ in true }).tree
    #expect(throws: PredicateFormatError.self) { try tree.accept(&writer) }
  }

  /// An object that returns values for keys itself.
  private struct Person: KeyValueReadable {
    var name: String
    var friends: [Person] = []

    func predicateValue(forKey key: String) throws(PredicateFormatError) -> PredicateValue {
      switch key {
      case "name": .string(name)
      case "friends": .array(friends.map { .object(OpaqueObject($0)) })
      default: throw .undefinedKey(key, of: self)
      }
    }
  }

  @Test func `objects answer their own keys`() throws {
    let ann = Person(name: "Ann", friends: [Person(name: "Bob"), Person(name: "Cy")])
    let program = PredicateProgram(
      try PredicateTree(parsing: "ANY friends.name == $who AND friends.@count == 2"))
    #expect(try program.evaluate(ann, bindings: ["who": "Cy"]))
    #expect(try !program.evaluate(ann, bindings: ["who": "Dee"]))
    let unknown = PredicateProgram(try PredicateTree(parsing: "age == 1"))
    #expect(throws: PredicateFormatError(.undefinedKey, "Person has no key 'age'")) {
      try unknown.evaluate(ann)
    }
  }

  @Test func `every part shows in an outline`() throws {
    let tree = try PredicateTree(
      parsing:
        "SUBQUERY(a.b, $x, $x.c ==[cd] 'd').@count > 1 OR NOT TERNARY(TRUEPREDICATE, 1, e[LAST]) == nil"
    )
    #expect(
      TreeOutline(tree).description == """
        OR
          comparison: >
            key path: @count
              SUBQUERY: x
                key path: a.b
                comparison: == [cd]
                  key path: c
                    variable: x
                  string: "d"
            integer: 1
          NOT
            comparison: ==
              TERNARY
                TRUEPREDICATE
                integer: 1
                function: objectFrom:withIndex:
                  key path: e
                  index: LAST
              nil: nil
        """)
  }
}
