import Foundation
import TestSupport
import Testing

@testable import PredicateFormat

/// ASCII strings compared and searched by their bytes, with the same results as for `String`.
@Suite struct PlainTextOrderTests {
  private func text(_ random: inout SeededGenerator, _ letters: String, _ length: Int) -> String {
    String(
      (0..<random.number(0...length)).compactMap { _ in letters.randomElement(using: &random) })
  }

  @Test(arguments: 0..<20) func itIsFoundationsOrder(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let letters = ["abAB 12", "aA1", "name 0123456789", "xyzXYZ09 "][Int(seed % 4)]
    var decided = 0
    for _ in 0..<500 {
      let prefix = text(&random, letters, 4)
      let (left, right) = (
        prefix + text(&random, letters, 6), prefix + text(&random, letters, 6)
      )
      guard let order = PlainTextOrder.compare(left, right) else { continue }
      decided += 1
      for locale in [Locale(identifier: "en_US"), Locale.current] {
        let expected = left.compare(
          right, options: [.caseInsensitive, .numeric, .widthInsensitive, .forcedOrdering],
          locale: locale)
        #expect(order == expected, "'\(left)' and '\(right)'")
      }
    }
    #expect(decided > 50)
  }

  @Test func othersAreLeftToFoundation() {
    for (left, right) in [("a", "é"), ("a-b", "a b"), ("1", "01"), ("x", "x\u{0}")] {
      #expect(PlainTextOrder.compare(left, right) == nil)
    }
    #expect(PlainTextOrder.compare("file 10", "file 9") == .orderedDescending)
    #expect(PlainTextOrder.compare("a", "A") == .orderedAscending)
    #expect(PlainTextOrder.compare("", "") == .orderedSame)
  }

  /// Numbers too large for an integer, as those of parcels, are left to Foundation.
  @Test(arguments: [17, 18, 19, 20, 22, 40]) func longNumbersAreOrdered(length: Int) {
    for digit in ["1", "9"] {
      let number = String(repeating: digit, count: length)
      let order = PlainTextOrder.compare(number + "a", number + "b")
      #expect(order == (length > 18 ? nil : .orderedAscending))
      #expect((PlainTextOrder.compare(number, "7") == nil) == (length > 18))
    }
  }

  @Test(arguments: 0..<20) func bytesAreFoundAsStringsAre(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let operators: [ComparisonOperator] = [.contains, .beginsWith, .endsWith, .like]
    let options: [ComparisonOptions] = [
      [], .caseInsensitive, [.caseInsensitive, .diacriticInsensitive], .normalized,
      .diacriticInsensitive,
    ]
    for _ in 0..<300 {
      let needle = text(&random, "abA*?\\é", 4)
      let (type, option) = (random.pick(operators), random.pick(options))
      let tree = PredicateTree.comparison(
        PredicateTree.Comparison(
          left: .variable("x"), type: type ?? .contains, right: .constant(.string(needle)),
          options: option ?? []))
      let test = try #require(TextTest(tree, of: "x"))
      #expect(TextTest(tree, of: "y") == nil)
      let program = PredicateProgram(tree)
      for _ in 0..<5 {
        let hay = text(&random, random.chance(20) ? "abAé" : "abABc*", 8)
        let expected = try program.evaluate(with: nil, bindings: ["x": hay])
        let answer = try hay.utf8.withContiguousStorageIfAvailable { try test.holds(of: $0) } ?? nil
        if hay.utf8.allSatisfy({ $0 < 0x80 }) {
          #expect(answer == expected, "'\(hay)' \(tree)")
        } else {
          #expect(answer == nil)
        }
      }
    }
  }
}
