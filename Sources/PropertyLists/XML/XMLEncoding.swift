/// The encodings that the first bytes of an XML file reveal: UTF-8, or UTF-16 in either byte order.
public enum XMLEncoding: Sendable, Hashable {
  /// UTF-8, or an encoding that can't be distinguished from it.
  case utf8
  /// UTF-16 in one byte order, with or without a byte order mark.
  case utf16(isBigEndian: Bool)

  /// Detects the encoding from the byte order mark, or else from how a `<` is encoded.
  public init(_ bytes: some Collection<UInt8>) {
    switch Array(bytes.prefix(2)) {
    case [0xFE, 0xFF], [0x00, UInt8(ascii: "<")]: self = .utf16(isBigEndian: true)
    case [0xFF, 0xFE], [UInt8(ascii: "<"), 0x00]: self = .utf16(isBigEndian: false)
    default: self = .utf8
    }
  }

  /// Converts the file to UTF-8; a byte order mark is kept.
  ///
  /// - Throws: ``PropertyListError`` when the bytes are not UTF-16.
  public func utf8(_ bytes: [UInt8]) throws(PropertyListError) -> [UInt8] {
    guard case .utf16(let isBigEndian) = self else { return bytes }
    guard bytes.count.isMultiple(of: 2) else {
      throw PropertyListError(
        .malformedXML, "the file is in UTF-16 and ends in the middle of a character",
        offset: bytes.count)
    }
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2)
    for at in stride(from: 0, to: bytes.count, by: 2) {
      let (first, second) = (UInt16(bytes[at]), UInt16(bytes[at + 1]))
      units.append(isBigEndian ? first << 8 | second : second << 8 | first)
    }
    guard let text = String(validating: units, as: UTF16.self) else {
      throw PropertyListError(
        .malformedXML, "the file is in UTF-16 and contains half a surrogate pair")
    }
    return Array(text.utf8)
  }
}
