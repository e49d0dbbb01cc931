/// The texts that a document says again and again: made once, then found by their bytes.
struct KnownTexts {
  private static let count = 256
  private var texts = [String](repeating: "", count: count)

  /// The text of a range of bytes, which are UTF-8.
  mutating func text(of range: Range<Int>, in bytes: [UInt8]) -> String {
    bytes.withUnsafeBufferPointer { bytes in
      let bytes = UnsafeBufferPointer(rebasing: bytes[range])
      var hash: UInt32 = 0
      for byte in bytes { hash = hash &* 31 &+ UInt32(byte) }
      let place = Int(hash % UInt32(Self.count))
      let known = texts[place].utf8.withContiguousStorageIfAvailable {
        $0.count == bytes.count && $0.elementsEqual(bytes)
      }
      if known == true { return texts[place] }
      let text = String(decoding: bytes, as: UTF8.self)
      // One that hashes alike takes the place: what is known is only a matter of speed.
      texts[place] = text
      return text
    }
  }
}
