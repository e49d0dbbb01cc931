import PredicateFormat
import Testing

/// Strings are compared by their characters, not by canonical equivalence, regardless of earlier comparisons.
@Suite struct ExactTextTests {
  private let composed = "caf\u{e9}"
  private let decomposed = "cafe\u{301}"

  @Test func patternsAreKeptApart() {
    for pattern in [composed, decomposed, composed] {
      for text in [composed, decomposed] {
        let isSame = pattern.unicodeScalars.elementsEqual(text.unicodeScalars)
        // Not a constant: constants are compiled once per predicate.
        let predicate = NSPredicate(format: "t MATCHES p")
        #expect(predicate.evaluate(with: ["t": text, "p": pattern]) == isSame)
      }
    }
  }

  @Test func predicatesOfUnlikeTextsDiffer() {
    let predicates = [composed, decomposed].map { NSPredicate(format: "s == %@", $0) }
    #expect(predicates[0] != predicates[1])
    #expect(predicates[0] == NSPredicate(format: "s == %@", composed))
    #expect(PredicateValue.string(composed) != .string(decomposed))
    #expect(Set(["e\u{301}", "\u{e9}"].map { PredicateValue.string($0) }).count == 2)
  }

  @Test func listsAreLookedUpAsTheyAreCompared() {
    let list = ["a", "b", "c", "d", composed]
    #expect(NSPredicate(format: "SELF IN %@", list).evaluate(with: composed))
    #expect(!NSPredicate(format: "SELF IN %@", list).evaluate(with: decomposed))
    #expect(NSPredicate(format: "SELF IN[c] %@", list).evaluate(with: decomposed.uppercased()))
    #expect(NSPredicate(format: "SELF IN[cd] %@", list).evaluate(with: "CAFE"))
  }

  @Test(arguments: ["a", "ä"])
  func lineEndsAreTwoCharactersEverywhere(letter: String) {
    let text = "\(letter)\r\nb"
    for (format, isTrue) in [
      ("SELF CONTAINS '\n'", true), ("SELF CONTAINS '\r'", true), ("SELF LIKE '???b'", true),
      ("SELF LIKE '??b'", false), ("SELF LIKE '*\nb'", true), ("SELF ENDSWITH '\nb'", true),
      ("SELF CONTAINS '\r\nb'", true), ("SELF MATCHES '.\\r\\nb'", true),
    ] {
      #expect(NSPredicate(format: format).evaluate(with: text) == isTrue, "\(format)")
    }
    #expect(NSPredicate(format: "SELF ENDSWITH '\n'").evaluate(with: "\(letter)\r\n"))
    #expect(NSPredicate(format: "SELF BEGINSWITH '\r'").evaluate(with: "\r\n\(letter)"))
  }

  @Test func textsAreOrderedByTheirScalars() {
    // As SQLite orders them; in Swift's order, both forms would be between x and é.
    #expect(NSPredicate(format: "SELF < 'x'").evaluate(with: "e\u{301}"))
    #expect(!NSPredicate(format: "SELF < 'x'").evaluate(with: "\u{e9}"))
    #expect(NSPredicate(format: "SELF <= 'e\u{301}'").evaluate(with: "e\u{301}"))
    #expect(NSPredicate(format: "SELF > ''").evaluate(with: "a"))
  }
}
