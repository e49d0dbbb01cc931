import Foundation
import PredicateFormat
import Testing

// A file that also imports Foundation must disambiguate type names, but not calls.
import class PredicateFormat.NSComparisonPredicate
import class PredicateFormat.NSExpression

/// The names in a file that imports Foundation itself.
@Suite struct BothImportsTests {
  @Test func `calls and types`() throws {
    let expression: NSExpression = NSExpression(forKeyPath: "age")
    let predicate = NSPredicate(format: "%@ > %d", expression, 3)
    let comparison = try #require(predicate as? NSComparisonPredicate)
    #expect(comparison.leftExpression == expression)
    let day = Date(timeIntervalSinceReferenceDate: 0)
    #expect(
      NSPredicate(format: "d == %@ AND e == %@", day as CVarArg, day as NSDate).description
        == "d == CAST(0.000000, \"NSDate\") AND e == CAST(0.000000, \"NSDate\")")
    #expect(NSPredicate(format: "id IN %@", [1, 2]).description == "id IN {1, 2}")
    #expect(NSSortDescriptor(key: "age", ascending: false).key == "age")
  }

  private class Nested {}

  /// Foundation's function for the name crashes for such a class.
  @Test func `classes within types are values`() {
    #expect(PredicateValue(reading: Nested.self) == PredicateValue(reading: Nested.self))
    #expect(PredicateValue(reading: NSString.self) == .className("NSString"))
  }
}
