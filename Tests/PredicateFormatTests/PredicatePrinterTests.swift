import Foundation
import PredicateFormat
import Testing

@Suite struct PredicatePrinterTests {
  @Test(arguments: [
    (PredicateTree.value(true), "TRUEPREDICATE"),
    (.compare(.key("age"), .greaterThan, .constant(30)), "age > 30"),
    (
      .compare(
        .key("a.b"), .equalTo, .constant("x\"\\"), modifier: .any, options: .caseInsensitive),
      #"ANY a.b ==[c] "x\"\\""#
    ),
    (
      .and([.not(.compare(.key("a"), .equalTo, .constant(nil))), .value(false)]),
      "(NOT a == nil) AND FALSEPREDICATE"
    ),
    (.compare(.key("in"), .equalTo, .constant(true)), "#in == 1"),
  ])
  func `prints the canonical text`(tree: PredicateTree, text: String) {
    #expect(tree.canonicalFormat == text)
    #expect(tree.predicate.description == text)
    #expect(tree.predicate.tree == tree)
  }
}
