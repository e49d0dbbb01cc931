import Foundation
import PredicateFormat
import Testing

@Suite struct FormatParserTests {
  @Test(arguments: [
    ("a == 1", "a == 1"),
    ("a = 1 and b<>2 && !(c > 3 || d =< 4)", "a == 1 AND b != 2 AND (NOT (c > 3 OR d <= 4))"),
    ("a AND b == 1", nil),
    ("not a = true or b >= 1 and b <= 10.5", "(NOT a == 1) OR (b >= 1 AND b <= 10.5)"),
    ("SUBQUERY(x.y, $t, $t.k == 'a').@count > 0", "SUBQUERY(x.y, $t, $t.k == \"a\").@count > 0"),
    ("(a + 1) * 2 > -3", "(a + 1) * 2 > -3"),
    ("-x ** 2 == 1", "-1 * (x ** 2) == 1"),
    ("NONE a.b IN {1, 2}", "NOT ANY a.b IN {1, 2}"),
    ("size > 3 and #in == 3 and a[SIZE] = 1", "size > 3 AND #in == 3 AND a[SIZE] == 1"),
    ("CAST(1.5, 'NSDate') < now()", "CAST(1.5, \"NSDate\") < now()"),
    ("modulus:by:(a, 2) == 0x1F", "modulus:by:(a, 2) == 31"),
    ("TERNARY(a == 1, b, c).d[0].e == nil", "TERNARY(a == 1, b, c).d[0].e == nil"),
    (
      "FUNCTION($manager, 'f:g:', 'x', $source.y) == 1",
      "FUNCTION($manager, \"f:g:\", \"x\", $source.y) == 1"
    ),
    ("$x := 3 == 4", "$x := 3 == 4"),
    ("a UNION b == {1}", "a UNION b == {1}"),
  ])
  func `parses and prints`(text: String, canonical: String?) throws {
    guard let canonical else {
      #expect(throws: PredicateFormatError.self) { try PredicateTree(parsing: text) }
      return
    }
    let tree = try PredicateTree(parsing: text)
    #expect(tree.canonicalFormat == canonical)
    let source = tree.source
    #expect(try PredicateTree(parsing: source.format, arguments: source.arguments) == tree)
    #expect(try PredicateTree(parsing: canonical).isEquivalent(to: tree))
  }

  /// Apple's documentation describes neither of these, so they aren't guessed at.
  @Test(arguments: [
    ("age %% 2 == 0", 5, "modulus:by:"), ("a == 1 AND b == %1$d", 17, "in order"),
    ("%2$@ == %1$@", 1, "in order"), ("a == %12$@", 6, "in order"), ("a %$x", 3, "%K"),
    ("a == %", 6, "%K"),
  ])
  func `says what to write instead`(text: String, column: Int, hint: String) {
    let error = #expect(throws: PredicateFormatError.self) { try PredicateTree(parsing: text) }
    #expect(error?.code == .syntax)
    #expect(error?.column == column)
    #expect(error?.message.contains(hint) == true, "\(error?.message ?? "")")
  }
}
