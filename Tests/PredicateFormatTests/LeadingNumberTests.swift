import Foundation
import PredicateFormat
import Testing

/// Numbers at the beginning of untrusted strings: Foundation's `Scanner` crashes on an emoji.
@Suite struct LeadingNumberTests {
  @Test(arguments: [
    ("😀", 0.0, 0), (" 😀", 0, 0), ("-😀", 0, 0), ("5😀", 5, 5), ("日本", 0, 0), ("", 0, 0),
    ("12.5x", 12.5, 12),
    (" \n-3.25e2z", -325, -3), ("1e", 1, 1), ("1e+", 1, 1), (".5", 0.5, 0), ("+7", 7, 7),
    ("-", 0, 0),
    ("99999999999999999999", 1e20, Int.max), ("-99999999999999999999", -1e20, Int.min),
  ])
  func readsAsNSStringDoes(text: String, double: Double, integer: Int) throws {
    func value(_ format: String) throws -> Any? {
      try PredicateFormat.NSExpression(format: format).value(for: ["n": text])
    }
    #expect(try value("n.doubleValue") as? Double == double)
    #expect(try value("n.integerValue") as? Int == integer)
    #expect(try value("CAST(n, 'NSNumber')") as? Double == double)
    #expect(
      try value("CAST(n, 'NSDate')") as? Date == Date(timeIntervalSinceReferenceDate: double))
  }

  @Test func longTextsCostNothing() throws {
    let text = String(repeating: "1", count: 1_000_000)
    #expect(
      try PredicateFormat.NSExpression(format: "SELF.integerValue").value(for: text) as? Int == .max
    )
  }

  @Test(arguments: [
    ("😀", false), ("yes", true), (" Y", true), ("true", true), ("no", false), ("-0010", true),
    ("000", false), ("x1", false),
  ])
  func truthOfTexts(text: String, isTrue: Bool) throws {
    #expect(
      try PredicateFormat.NSExpression(format: "SELF.boolValue").value(for: text) as? Bool == isTrue
    )
  }
}
