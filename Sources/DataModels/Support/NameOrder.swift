/// The order in which Core Data sorts names: that of `-[NSString compare:]` without options, which compares UTF-16 code
/// units.
package enum NameOrder {
  /// Whether the first name comes before the second.
  package static func precedes(_ left: String, _ right: String) -> Bool {
    // Native strings have their bytes in one piece.
    let order = left.utf8.withContiguousStorageIfAvailable { left in
      right.utf8.withContiguousStorageIfAvailable { right in bytesPrecede(left, right) }
    }
    return (order ?? nil) ?? bytesPrecede(Array(left.utf8), Array(right.utf8))
  }

  @inline(__always)
  private static func bytesPrecede(
    _ left: some RandomAccessCollection<UInt8>, _ right: some RandomAccessCollection<UInt8>
  ) -> Bool {
    for (leftByte, rightByte) in zip(left, right) where leftByte != rightByte {
      return rank(leftByte) < rank(rightByte)
    }
    return left.count < right.count
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
