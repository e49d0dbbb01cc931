/// The order in which Xcode lists names: without regard to case, and numbers by their value, the
/// same in every locale.
enum XcodeNameOrder {
  static func precedes(_ first: String, _ second: String) -> Bool {
    switch compare(Array(first.utf8), Array(second.utf8)) {
    case 0: first < second
    case let order: order < 0
    }
  }

  private static func compare(_ first: [UInt8], _ second: [UInt8]) -> Int {
    var (left, right) = (first[...], second[...])
    while let a = left.first, let b = right.first {
      if isDigit(a), isDigit(b) {
        let (leftNumber, rightNumber) = (number(&left), number(&right))
        if leftNumber.count != rightNumber.count { return leftNumber.count - rightNumber.count }
        for (x, y) in zip(leftNumber, rightNumber) where x != y { return Int(x) - Int(y) }
        continue
      }
      let (x, y) = (lowercased(a), lowercased(b))
      if x != y { return Int(x) - Int(y) }
      left.removeFirst()
      right.removeFirst()
    }
    return left.count - right.count
  }

  /// Takes the digits at the start, without leading zeros.
  private static func number(_ text: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let digits = text.prefix(while: isDigit)
    text = text.dropFirst(digits.count)
    return digits.drop { $0 == UInt8(ascii: "0") }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }
}
