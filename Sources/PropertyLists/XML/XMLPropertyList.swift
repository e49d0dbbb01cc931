/// Reads XML property lists into the representation used by the rest of the package.
///
/// ```swift
/// let bytes = try FileBytes.read("Info.plist")
/// let graph = try XMLPropertyList.graph(bytes)
/// let binary = graph.binary()
/// ```
///
/// An XML keyed archive represents a reference as a dictionary `{"CF$UID": number}`. Dictionaries keep the order of the
/// file. Foundation's own parser is unsuitable: it loses the order, hides the number of a reference in a private class,
/// and recurses as deeply as the file is nested.
///
/// Only the grammar of property lists is accepted: a document type is skipped, but one with declarations of its own is
/// refused, so that no entities are expanded.
public enum XMLPropertyList {
  /// Whether bytes look like an XML property list: `<` after an optional byte order mark and space.
  public static func looksLikeXML(_ bytes: [UInt8]) -> Bool {
    if case .utf16(let isBigEndian) = XMLEncoding(bytes) {
      let low = isBigEndian ? 1 : 0
      // The units whose other byte is zero, which excludes a byte order mark.
      let ascii = stride(from: low, to: bytes.count - 1 + low, by: 2).lazy
        .filter { bytes[$0 ^ 1] == 0 }.map { bytes[$0] }
      return ascii.first { !XMLScanner.isSpace($0) } == UInt8(ascii: "<")
    }
    var rest = bytes[...]
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    return rest.first { !XMLScanner.isSpace($0) } == UInt8(ascii: "<")
  }

  /// Reads an XML property list in UTF-8, or in UTF-16, which is detected from its first bytes.
  ///
  /// - Throws: ``PropertyListError`` when it is not well-formed, too large or too deeply nested. `offset` gives the
  ///   location; for a file in UTF-16, it counts bytes of the UTF-8 conversion.
  public static func graph(
    _ bytes: [UInt8], limits: PropertyListLimits = .default
  ) throws(PropertyListError) -> PropertyListGraph {
    guard bytes.count <= min(limits.byteCount, Int(UInt32.max)) else {
      throw PropertyListError(
        .limitExceeded, "the file has \(bytes.count) bytes, over the limit of \(limits.byteCount)")
    }
    let text = try XMLEncoding(bytes).utf8(bytes)
    var builder = XMLPropertyListBuilder(XMLScanner(text), limits: limits)
    return try builder.build()
  }
}

extension BinaryPropertyList {
  /// Opens a property list in either form, binary or XML.
  ///
  /// An XML list is converted to the binary form in memory, so ``bytes`` are then not those of the file.
  ///
  /// - Throws: ``PropertyListError`` when it is neither, or is malformed.
  public init(
    anyForm bytes: [UInt8], limits: PropertyListLimits = .default
  ) throws(PropertyListError) {
    if !Self.hasMagic(bytes), XMLPropertyList.looksLikeXML(bytes) {
      try self.init(XMLPropertyList.graph(bytes, limits: limits).binary(), limits: limits)
    } else {
      try self.init(bytes, limits: limits)
    }
  }
}
