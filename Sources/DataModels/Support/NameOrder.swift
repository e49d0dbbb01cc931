/// The order in which Core Data sorts names: that of `-[NSString compare:]` without options, which compares UTF-16 code
/// units.
package enum NameOrder {
  /// Whether the first name comes before the second.
  package static func precedes(_ left: String, _ right: String) -> Bool {
    var leftBytes = left.utf8.makeIterator()
    var rightBytes = right.utf8.makeIterator()
    while let rightByte = rightBytes.next() {
      guard let leftByte = leftBytes.next() else { return true }
      if leftByte != rightByte { return rank(leftByte) < rank(rightByte) }
    }
    return false
  }

  /// The rank of a UTF-8 byte in UTF-16 order. The two orders differ only in that characters represented by surrogates
  /// (lead bytes F0 and up) sort before U+E000 … U+FFFF (lead bytes EE and EF) in UTF-16.
  private static func rank(_ byte: UInt8) -> UInt8 {
    switch byte {
    case 0xF0...: byte - 2
    case 0xEE...: byte + 5
    default: byte
    }
  }

  /// Sorts names.
  package static func sorted(_ names: some Sequence<String>) -> [String] {
    names.sorted(by: precedes)
  }
}
