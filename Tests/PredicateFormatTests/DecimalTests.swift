import Foundation
import Testing

@testable import PredicateFormat

/// Decimal arithmetic stays decimal, even with literals, which are doubles.
@Suite struct DecimalTests {
  @Test(arguments: [
    ("price * 1.1 == amount", "3.3", "3.63"), ("price + 0.1 == amount", "0.2", "0.3"),
    ("price - 0.1 == amount", "0.3", "0.2"), ("price / 3 * 3 < amount", "1", "1.1"),
    ("price * 10 == amount", "0.07", "0.7"),
    ("price + price + price == amount", "0.1", "0.3"),
    ("modulus:by:(price, 0.1) == amount", "0.3", "0"),
    ("modulus:by:(price, 2) == amount", "-7.5", "-1.5"),
    ("price + 1 == amount", "12345678901234567890.12", "12345678901234567891.12"),
    ("abs:(price) == amount", "-12345678901234567890.12", "12345678901234567890.12"),
    ("floor:(price) == amount", "12345678901234567890.7", "12345678901234567890"),
    ("ceiling:(price) == amount", "-12345678901234567890.7", "-12345678901234567890"),
    ("ceiling:(price) == amount", "2.1", "3"), ("floor:(price) == amount", "-2.1", "-3"),
    ("trunc:(price) == amount", "-2.9", "-2"), ("trunc:(price) == amount", "2.9", "2"),
    ("sum:({price, 0.1, 0.2}) == amount", "0.3", "0.6"),
    ("average:({price, 0.2}) == amount", "0.1", "0.15"),
    ("median:({price, 0.2}) == amount", "0.1", "0.15"),
  ])
  func areExact(format: String, price: String, amount: String) throws {
    let numbers = [
      "price": NSDecimalNumber(string: price), "amount": NSDecimalNumber(string: amount),
    ]
    #expect(NSPredicate(format: format).evaluate(with: numbers), "\(format)")
  }

  @Test func whatNoDecimalHoldsIsADouble() {
    let numbers = ["price": NSDecimalNumber(string: "2"), "huge": 1e200 as NSNumber]
    #expect(NSPredicate(format: "price * huge == 2e200").evaluate(with: numbers))
  }
}
