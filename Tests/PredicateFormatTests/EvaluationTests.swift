import Foundation
import PredicateFormat
import Testing

@Suite struct EvaluationTests {
  @Test(arguments: [
    ("a == 1", true), ("a > 1", false), ("name BEGINSWITH[cd] 'É'", true), ("missing == nil", true),
    ("name LIKE 'e*e'", true), ("name MATCHES 'a|e.*'", true), ("list.@count == 3", true),
    ("SUBQUERY(list, $x, $x > 1).@count == 2", true), ("ANY list == 3", true),
    ("ALL list > 0", true), ("list[LAST] == 3", true), ("nested.x == 2.0", true),
    ("a IN {1, 2, 3, 4, 5}", true), ("7 / 2 == 3", true), ("name.length == 6", true),
    ("CAST(0, 'NSDate') < now()", true), ("TERNARY(a == 1, 'x', 'y') == 'x'", true),
    ("list.@sum.self == 6", true), ("$v == 5", true), ("flag == YES", true),
  ])
  func `answers`(text: String, expected: Bool) throws {
    let object: [String: Any] = [
      "a": 1, "name": "estate", "list": [1, 2, 3], "nested": ["x": 2], "flag": true,
    ]
    let predicate = try NSPredicate(parsing: text)
    #expect(try predicate.tree.evaluate(with: object, bindings: ["v": 5]) == expected)
    #expect(predicate.evaluate(with: object, substitutionVariables: ["v": 5]) == expected)
  }

  @Test func `a pattern that backtracks for ever is stopped`() throws {
    let tree = try PredicateTree(parsing: "SELF MATCHES '(a+)+b'")
    #expect(throws: PredicateFormatError.self) {
      try tree.evaluate(with: String(repeating: "a", count: 40))
    }
  }
}
