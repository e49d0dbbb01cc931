import Foundation
import PredicateFormat
import Testing

/// Values that are passed `as CVarArg`, as Xcode suggests.
@Suite struct ValueArgumentTests {
  private let price = Decimal(string: "12.50") ?? 0
  private let name = "Ada Lovelace".prefix(3)

  @Test func `predicates take decimals, parts of texts and dictionaries`() {
    #expect(
      NSPredicate(format: "price > %@ AND name == %@", price as CVarArg, name as CVarArg)
        == NSPredicate(format: "price > 12.5 AND name == 'Ada'"))
    let predicate = NSPredicate(format: "%@ == place", ["city": "Paris"] as CVarArg)
    #expect(predicate.evaluate(with: ["place": ["city": "Paris"]]))
    #expect(!predicate.evaluate(with: ["place": ["city": "Rome"]]))
  }

  @Test func `so do predicates with a list of C`() {
    let arguments: [any CVarArg] = [price, name, ["city": "Paris"]]
    let predicate = withVaList(arguments) {
      NSPredicate(format: "price == %@ AND name == %@ AND place == %@", arguments: $0)
    }
    let row: [String: Any] = ["price": price, "name": "Ada", "place": ["city": "Paris"]]
    #expect(predicate.evaluate(with: row))
    #expect(!predicate.evaluate(with: row.merging(["price": Decimal(12)]) { $1 }))
  }

  @Test func `texts print them`() {
    #expect(String(format: "%@ for %@", price as CVarArg, name as CVarArg) == "12.5 for Ada")
    #expect(String(format: "%@", [1: "a"] as CVarArg).contains("a"))
    #expect(String(format: "%@", [price] as CVarArg).contains("12.5"))
  }
}
