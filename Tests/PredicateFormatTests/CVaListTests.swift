import Foundation
import PredicateFormat
import Testing

@Suite struct CVaListTests {
  private func format(_ format: String, _ arguments: any CVarArg...) -> String {
    withVaList(arguments) { NSPredicate(format: format, arguments: $0).canonicalFormat }
  }

  @Test func `arguments of every kind are taken out of C's list`() {
    #expect(
      format(
        "%K == %@ AND age > %d AND big < %lld AND far >= %f", "name" as NSString, "Ada" as NSString,
        -18, Int64.max, 2.5)
        == #"name == "Ada" AND age > -18 AND big < 9223372036854775807 AND far >= 2.5"#)
    #expect(
      format("a IN %@ AND b == %u", ["x", "y"], UInt32.max)
        == #"a IN {"x", "y"} AND b == 4294967295"#)
  }

  @Test func `what is quoted is no argument`() {
    #expect(
      format(#"a == "%@ \" %d" AND b == '%d' AND c == %d"#, 3)
        == #"a == "%@ \" %d" AND b == "%d" AND c == 3"#)
    #expect(format("TRUEPREDICATE") == "TRUEPREDICATE")
    // A combining mark makes another character of the quotation mark, but no other token.
    #expect(format("a == '\u{301}%f' AND b == %d", 3) == "a == \"\u{301}%f\" AND b == 3")
  }

  @Test func `more than six arguments, numbers of both kinds mixed`() {
    #expect(
      format(
        "a IN {%d, %f, %d, %f, %d, %d, %d, %d, %@}", 1, 1.5, 2, 2.5, 3, 4, 5, 6, "z" as NSString)
        == #"a IN {1, 1.5, 2, 2.5, 3, 4, 5, 6, "z"}"#)
  }
}
