import Foundation
import PredicateFormat
import Testing

/// Constants and results of expressions are `NSNumber`s, as on Apple's platforms.
@Suite struct FoundationNumberTests {
  private func constant(_ format: String, _ arguments: Any?...) throws -> Any? {
    let tree = try PredicateTree(
      parsing: format, arguments: arguments.map(PredicateValue.init(bridging:)))
    return try #require(
      NSPredicate(tree) as? PredicateFormat.NSComparisonPredicate
    ).rightExpression.constantValue
  }

  @Test func constantsCastToAnyNumberType() throws {
    #expect(try constant("a = true") as? Int == 1)
    #expect(try constant("a = true") as? Bool == true)
    #expect(try constant("a = 3") as? Int64 == 3)
    #expect(try constant("a = 3") as? Double == 3)
    #expect(try constant("a = 3") is NSNumber)
    #expect(try constant("a = 2.5") as? Double == 2.5)
    #expect(try constant("a = %@", NSNumber(value: 3)) as? Double == 3)
    #expect(try constant("a = %@", Decimal(1) / 4) as? Decimal == 0.25)
    #expect(try constant("a = %@", Decimal(1) / 4) is NSDecimalNumber)
    #expect(try constant("a IN %@", [1, 2]) as? [Int] == [1, 2])
    #expect(try constant("a = 'x'") as? String == "x")
  }

  @Test func resultsCastToAnyNumberType() {
    let sum = PredicateFormat.NSExpression(format: "1+1").expressionValue(with: nil, context: nil)
    #expect(sum as? Double == 2)
    #expect(sum as? Int == 2)
    #expect(sum as? Float == 2)
  }

  @Test func bigNumbersAreComparedExactly() throws {
    let big = UInt64.max
    let list: [Any] = [1, 2, 3, 4, big]
    #expect(!NSPredicate(format: "1.8446744073709552e19 == %@", big).evaluate(with: nil))
    #expect(!NSPredicate(format: "1.8446744073709552e19 IN %@", list).evaluate(with: nil))
    #expect(NSPredicate(format: "%@ IN %@", big, list).evaluate(with: nil))
    #expect(NSPredicate(format: "%@ > 1.8446744073709549e19", big).evaluate(with: nil))
    // As compared by SQL: the decimal equals the nearest double.
    let decimal = try #require(Decimal(string: "0.30000000000000004"))
    #expect(!NSPredicate(format: "0.30000000000000004 < %@", decimal).evaluate(with: nil))
    #expect(NSPredicate(format: "0.30000000000000004 == %@", decimal).evaluate(with: nil))
  }

  @Test func unsignedConversionsReadTheBits() throws {
    #expect(try constant("a == %u", -1) as? UInt32 == .max)
    #expect(try constant("a == %lu", -1) as? UInt64 == .max)
    #expect(try constant("a == %u", 7) as? Int == 7)
    #expect(try constant("a == %d", -1) as? Int == -1)
  }

  @Test func pathsInArgumentsMayBeginWithSelf() {
    for path in ["SELF.n", "self.n", "n"] {
      #expect(NSPredicate(format: "%K == 1", path).evaluate(with: ["n": 1]), "\(path)")
    }
  }

  /// Foundation keeps numbers of eight bits as it keeps truth values.
  @Test func numbersOfEightBitsAreNumbers() throws {
    for number in Int8.min...Int8.max {
      #expect(try constant("a = %@", NSNumber(value: number)) as? Int == Int(number))
    }
    #expect(NSPredicate(format: "%@ == 5", NSNumber(value: Int8(5))).evaluate(with: nil))
    #expect(try constant("a = %@", NSNumber(value: true)) as? Bool == true)
  }
}
