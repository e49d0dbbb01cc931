import Foundation
import Testing

@testable import PredicateFormat

/// Decimal numbers as members of Foundation's sets.
@Suite struct HashableDecimalNumberTests {
  private func number(_ text: String) throws -> HashableDecimalNumber {
    HashableDecimalNumber(decimal: try #require(Decimal(string: text)))
  }

  @Test(arguments: ["0", "1.5", "-3", "0.1", "12345678901234567890123456789", "1e100", "1e-20"])
  func equalNumbersHaveEqualHashes(text: String) throws {
    let first = try number(text)
    let second = HashableDecimalNumber(decimal: first.decimalValue * 30 / 30)
    #expect(first == second && first.hash == second.hash)
    #expect(NSSet(array: [first, second]).count == 1)
    let plain = NSNumber(value: try #require(Double(text)))
    if plain == first { #expect(plain.hash == first.hash) }
  }

  @Test func integersAreEqualToWholeNumbers() throws {
    for value in [0, 1, -7, 1 << 40] {
      let first = try number("\(value)")
      #expect(first == NSNumber(value: value) && first.hash == NSNumber(value: value).hash)
    }
  }

  @Test func notANumberHasAHash() {
    #expect(NSSet(array: [HashableDecimalNumber(decimal: .nan)]).count == 1)
  }

  @Test func onlyDecimalNumbersAreReplaced() throws {
    let decimal = try #require(Decimal(string: "1.5"))
    for value in [decimal, NSDecimalNumber(decimal: decimal)] as [Any] {
      #expect(HashableDecimalNumber.hashable(value) is HashableDecimalNumber)
    }
    for value in [5, 1.5, true, "x", NSNumber(value: 5), NSNumber(value: true)] as [Any] {
      #expect(type(of: HashableDecimalNumber.hashable(value)) == type(of: value))
    }
  }
}
