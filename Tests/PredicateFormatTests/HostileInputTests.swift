import Foundation
import Testing

@testable import PredicateFormat

/// Formats, trees and values designed to break the parser, the printer and the evaluation: each results in an error
/// or a value within reasonable time, never a trap.
@Suite struct HostileInputTests {
  static func nested(_ open: String, _ core: String, _ close: String, _ count: Int) -> String {
    String(repeating: open, count: count) + core + String(repeating: close, count: count)
  }

  /// A format that repeats one part many times, named after that part.
  struct Nesting: Sendable, CustomTestStringConvertible {
    var before = ""
    var open: String
    var core: String
    var close: String
    var after = ""
    var count: Int

    var text: String { before + HostileInputTests.nested(open, core, close, count) + after }
    var testDescription: String { "\(count) × \(before)\(open)\(core)\(close)\(after)" }
  }

  @Test(arguments: [
    Nesting(open: "(", core: "a == 1", close: ")", count: 10_000),
    Nesting(open: "(", core: "", close: "", count: 1_000_000),
    Nesting(open: "NOT ", core: "a == 1", close: "", count: 10_000),
    Nesting(open: "!", core: "a == 1", close: "", count: 100_000),
    Nesting(open: "-", core: "a", close: "", after: " == 1", count: 10_000),
    Nesting(open: "~", core: "a", close: "", after: " == 1", count: 10_000),
    Nesting(open: "+", core: "a", close: "", after: " == 1", count: 10_000),
    Nesting(open: "{", core: "1", close: "}", after: " == 1", count: 10_000),
    Nesting(open: "a[", core: "1", close: "]", after: " == 1", count: 10_000),
    Nesting(before: "a", open: "[0]", core: "", close: "", after: " == 1", count: 100_000),
    Nesting(before: "a", open: "[0].b", core: "", close: "", after: " == 1", count: 100_000),
    Nesting(before: "1", open: "+1", core: "", close: "", after: " == 1", count: 100_000),
    Nesting(before: "1", open: "*1", core: "", close: "", after: " == 1", count: 100_000),
    Nesting(before: "1", open: "**1", core: "", close: "", after: " == 1", count: 100_000),
    Nesting(before: "a", open: " UNION a", core: "", close: "", after: " == 1", count: 100_000),
    Nesting(open: "$x := ", core: "1", close: "", after: " == 1", count: 100_000),
    Nesting(open: "abs:(", core: "1", close: ")", after: " == 1", count: 10_000),
    Nesting(open: "TERNARY(a == 1, 1, ", core: "1", close: ")", after: " == 1", count: 10_000),
    Nesting(open: "SUBQUERY(a, $x, ANY ", core: "b == 1", close: ").@count > 1", count: 10_000),
    Nesting(open: "CAST(", core: "1", close: ", 'NSNumber')", after: " == 1", count: 10_000),
    Nesting(open: "ANY ", core: "a == 1", close: "", count: 10_000),
    Nesting(open: "(a == 1 AND ", core: "b == 1", close: ")", count: 10_000),
  ])
  func `nesting is bounded`(nesting: Nesting) {
    #expect(throws: PredicateFormatError.self) { try PredicateTree(parsing: nesting.text) }
  }

  /// Compounds one in the other, AND and OR by turns, or all of one kind.
  private func compound(_ levels: Int, alternating: Bool) -> NSPredicate {
    var predicate: NSPredicate = NSComparisonPredicate(
      .init(left: .key("a"), type: .equalTo, right: .constant(.integer(1))))
    for level in 0..<levels {
      let other = NSComparisonPredicate(
        .init(left: .key("a"), type: .notEqualTo, right: .constant(.integer(Int64(level + 2)))))
      predicate =
        alternating && level % 2 == 0
        ? NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
        : NSCompoundPredicate(andPredicateWithSubpredicates: [other, predicate])
    }
    return predicate
  }

  @Test func `no nesting of objects overflows the stack`() {
    for (levels, alternating) in [(20_000, true), (4_000, false)] {
      let predicates = (0..<2).map { _ in compound(levels, alternating: alternating) }
      let both = predicates[0] as? PredicateFormat.NSCompoundPredicate
      #expect(both?.predicateFormat.isEmpty == false)
      #expect(predicates[0].hash == predicates[1].hash)
      #expect(predicates[0].isEqual(predicates[1]))
      #expect((predicates[0].copy() as? NSPredicate) === predicates[0])
      #expect(predicates[0].evaluate(with: ["a": 1]) == !alternating)
      #expect(predicates[0].evaluate(with: ["a": 2]) == false)
      if alternating {
        #expect(throws: PredicateFormatError.nestedTooDeeply) {
          try predicates[0].tree.evaluate(with: ["a": 1])
        }
      }
    }
    var sum = NSExpression(forKeyPath: "a")
    for _ in 0..<3_000 { sum = NSExpression(forFunction: "add:to:", arguments: [sum, 1]) }
    #expect(sum.description.utf8.count > 2)
    #expect(sum.hash == sum.hash)
    #expect(sum.expressionValue(with: ["a": 1], context: nil) == nil)
    #expect(throws: PredicateFormatError.nestedTooDeeply) { try sum.value(for: ["a": 1]) }
  }

  @Test func `a thousand levels of objects are evaluated`() throws {
    let predicate = compound(PredicateLimits.builtDepth - 2, alternating: true)
    let copy = compound(PredicateLimits.builtDepth - 2, alternating: true)
    let program = PredicateProgram(predicate.tree)
    let inverse = NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
    #expect(try program.evaluate(with: ["a": 1]) != inverse.evaluate(with: ["a": 1]))
    #expect(predicate.isEqual(copy) && predicate.hash == copy.hash)
    #expect(predicate.canonicalFormat == copy.canonicalFormat)
    var sum = NSExpression(forKeyPath: "a")
    for _ in 0..<PredicateLimits.builtDepth - 1 {
      sum = NSExpression(forFunction: "add:to:", arguments: [sum, 1])
    }
    #expect(try sum.value(for: ["a": 1]) as? Int == PredicateLimits.builtDepth)
  }

  @Test func `the deepest nesting that is taken fits in a small stack`() throws {
    let depth = PredicateLimits.depth - 4
    let texts = [
      Self.nested("(", "a == 1", ")", depth), Self.nested("NOT ", "a == 1", "", depth),
      Self.nested("{", "1", "}", depth - 1) + " == 1",
      "1" + Self.nested("+1", "", "", depth) + " == 1",
    ]
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      for text in texts {
        guard let tree = try? PredicateTree(parsing: text) else { continue }
        _ = tree.canonicalFormat.count + tree.hashValue
        _ = try? tree.evaluate(with: ["a": 1])
        _ = tree.predicate.isEqual(tree.predicate)
      }
      done.signal()
    }
    thread.stackSize = 4 << 20
    thread.start()
    #expect(done.wait(timeout: .now() + 20) == .success)
    for text in texts { _ = try PredicateTree(parsing: text) }
  }

  @Test func `long flat texts are taken in good time`() throws {
    let million = String(repeating: "x", count: 1_000_000)
    #expect(try PredicateTree(parsing: "a == '\(million)'").evaluate(with: ["a": million]))
    #expect(try PredicateTree(parsing: "\(million) == nil").evaluate(with: [:] as [String: Any]))
    let conjunction = Array(repeating: "a == 1", count: 50_000).joined(separator: " AND ")
    #expect(try PredicateTree(parsing: conjunction).evaluate(with: ["a": 1]))
    let list = (0..<50_000).map(String.init).joined(separator: ",")
    #expect(try PredicateTree(parsing: "49999 IN {\(list)}").evaluate(with: nil))
    let path = Array(repeating: "a", count: 100_000).joined(separator: ".")
    #expect(try PredicateTree(parsing: "\(path) == nil").evaluate(with: ["b": 1]))
    let operators = Array(repeating: "@unionOfObjects", count: 100_000).joined(separator: ".")
    let tree = try PredicateTree(parsing: "a.\(operators) == nil")
    #expect(throws: PredicateFormatError.self) { try tree.evaluate(with: ["a": [1]]) }
  }

  @Test func `a text of more than the limit is refused`() {
    let text = String(repeating: " ", count: PredicateLimits.textLength + 1)
    #expect(throws: PredicateFormatError.self) { try PredicateTree(parsing: text) }
  }

  @Test func `every beginning, gap and swap of a text is an error or a predicate`() {
    let text = """
      ANY a.@max.b[FIRST] BETWEEN {%@, -0x1F} AND NOT (SUBQUERY(c, $x, $x.d ==[cd] "é\\u00e9\\n") \
      .@count => 1.5e3 || TERNARY(e MATCHES 'f', ~1, CAST(%d, 'NSDate')) UNION $g != FUNCTION(h, \
      "i:", %K) ** 2)
      """
    let characters = Array(text)
    for index in characters.indices {
      var gap = characters
      gap.remove(at: index)
      var swap = characters
      swap.swapAt(index, (index * 7 + 3) % characters.count)
      for candidate in [Array(characters[..<index]), Array(characters[index...]), gap, swap] {
        guard
          let tree = try? PredicateTree(
            parsing: String(candidate), arguments: [1, 2, "k"], allowingUnused: true)
        else { continue }
        let source = tree.source
        let again = try? PredicateTree(parsing: source.format, arguments: source.arguments)
        #expect(again == tree, "\(String(candidate))")
      }
    }
  }

  @Test(arguments: [
    ("(a+)+b", "a", 60), ("(a|aa)+$b", "a", 60), ("(.*)*x", "ab", 20_000),
    ("([a-z]+)*1", "z", 5_000),
  ])
  func `a regular expression that goes on for ever is stopped`(
    pattern: String, unit: String, count: Int
  ) throws {
    let tree = try PredicateTree(parsing: "SELF MATCHES '\(pattern)'")
    let subject = String(repeating: unit, count: count)
    let start = ContinuousClock.now
    do {
      // The regular expression engine detects some of them at once.
      #expect(try !tree.evaluate(with: subject))
    } catch {
      #expect(error.code == .patternTimeout)
    }
    #expect(ContinuousClock.now - start < .seconds(10))
  }

  @Test func `wildcards and substrings take no more than their lengths`() throws {
    let subject = String(repeating: "a", count: 20_000)
    let stars = String(repeating: "*a", count: 1_000)
    #expect(try !PredicateTree(parsing: "SELF LIKE '\(stars)b'").evaluate(with: subject))
    let needle = String(repeating: "a", count: 10_000) + "b"
    #expect(try !PredicateTree(parsing: "SELF CONTAINS '\(needle)'").evaluate(with: subject))
    #expect(try !PredicateTree(parsing: "SELF CONTAINS[cd] 'é\(needle)'").evaluate(with: subject))
  }

  @Test(arguments: [
    "a + 9223372036854775807 > 0", "a - 9223372036854775807 - 9 < 0", "a * 9223372036854775807 > 1",
    "-9223372036854775807 - 1 < 0", "(-9223372036854775807 - 1) / -1 > 0",
    "modulus:by:(-9223372036854775807 - 1, -1) == 0", "abs:(-9223372036854775807 - 1) > 0",
    "1 << 9223372036854775807 == 0", "1 << -5 == 0", "1 >> 100 == 0", "2 ** 100000 > 1",
    "sqrt:(-1) == 1", "trunc:(1e300) > 1", "CAST(1e300, 'NSDate') > now()", "randomn:(-5) == 0",
    "1e300.intValue == 0", "floor:(1e300) == 1e300", "log:(0) < 0", "a[9223372036854775807] == 1",
    "SELF.a[-1] == 1", "CAST('x', 'NSUUID') == nil", "CAST('x y', 'NSURL') == nil",
    "CAST(CAST(0.0 / 0.0, 'NSDate'), 'NSString') == 'x'", "CAST(0.0 / 0.0, 'NSDate') < now()",
    "CAST('9e127', 'NSDecimalNumber') * CAST('9e127', 'NSDecimalNumber') > 1",
    "mode:(0.0 / 0.0, 0.0 / 0.0) == {}", "CAST('12.5', 'NSDecimalNumber') IN {1, 2, 3, 4, 12.5}",
    "odd INTERSECT {CAST('12.5', 'NSDecimalNumber')} == nil",
    "SELF MATCHES '((a{1000}){1000}){1000}'",
    "'aaa' MATCHES '((a{1000}){1000}){1000}'", "'aaa' MATCHES 'a{2147483647}'",
    "'aaa' MATCHES '(?<=(a+))b'", "'aaa' MATCHES '\\\\'", "1.5 & 2 == 0",
    "18446744073709551615 + 1 > 0", "18446744073709551615 & 1 == 1",
  ])
  func `numbers at the edge are answers or errors`(text: String) throws {
    let tree = try? PredicateTree(parsing: text)
    _ = try? tree?.evaluate(with: ["a": 5])
  }
}
