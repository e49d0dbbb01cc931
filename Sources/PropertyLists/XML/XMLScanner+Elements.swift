/// Attributes, and skipping of elements that are of no interest.
extension XMLScanner {
  /// The most attributes that a tag may have: each is compared with those before it.
  package static let maximalAttributes = 128

  /// The attributes of the last tag, in order.
  ///
  /// - Throws: ``PropertyListError`` when they aren't well-formed, one occurs twice, or there are more than
  ///   ``maximalAttributes``.
  package func attributes() throws(PropertyListError) -> [(name: String, value: String)] {
    var found: [(name: String, value: String)] = []
    var at = attributeBytes.lowerBound
    let end = attributeBytes.upperBound
    while true {
      let start = at
      while at < end, Self.isSpace(bytes[at]) { at += 1 }
      guard at < end else { return found }
      guard at > start else { throw error("a space is missing between attributes") }
      let name = at
      while at < end, bytes[at] != UInt8(ascii: "="), !Self.isSpace(bytes[at]) { at += 1 }
      let nameEnd = at
      while at < end, Self.isSpace(bytes[at]) { at += 1 }
      guard nameEnd > name, at < end, bytes[at] == UInt8(ascii: "=") else {
        throw error("an attribute without a value")
      }
      at += 1
      while at < end, Self.isSpace(bytes[at]) { at += 1 }
      guard at < end, bytes[at] == UInt8(ascii: "\"") || bytes[at] == UInt8(ascii: "'") else {
        throw error("an attribute's value without quotes")
      }
      let quote = bytes[at]
      let value = at + 1
      guard let close = bytes[value..<end].firstIndex(of: quote) else {
        throw error("an attribute's value without its second quote")
      }
      at = close + 1
      let key = String(decoding: bytes[name..<nameEnd], as: UTF8.self)
      guard found.count < Self.maximalAttributes else {
        throw error("a tag with more than \(Self.maximalAttributes) attributes")
      }
      guard !found.contains(where: { $0.name == key }) else {
        throw error("the attribute '\(key)' is given twice")
      }
      found.append((key, try text(value..<close)))
    }
  }

  /// The text of a quoted range.
  private func text(_ range: Range<Int>) throws(PropertyListError) -> String {
    let plain = bytes[range].allSatisfy { $0 != UInt8(ascii: "&") && $0 != UInt8(ascii: "<") }
    var text: [UInt8] = []
    if !plain {
      var at = range.lowerBound
      while at < range.upperBound {
        switch bytes[at] {
        case UInt8(ascii: "&"):
          let (character, end) = try reference(at: at)
          guard end <= range.upperBound else { throw error("& without ;") }
          text.append(contentsOf: String(character).utf8)
          at = end
        case UInt8(ascii: "<"): throw error("'<' in an attribute's value")
        default:
          text.append(bytes[at])
          at += 1
        }
      }
    }
    let string =
      plain
      ? String(validating: bytes[range], as: UTF8.self)
      : String(validating: text, as: UTF8.self)
    guard let string else { throw error("an attribute contains bytes that aren't UTF-8") }
    return string
  }

  /// Sets the last tag to one scanned earlier, as the location of errors.
  package mutating func goBack(to tag: Int) { tagStart = tag }

  /// Skips an element whose opening tag was just read, with everything it contains.
  ///
  /// - Parameter limit: The deepest nesting of elements allowed.
  package mutating func skip(
    _ element: String, isEmpty: Bool, limit: Int = 64
  ) throws(PropertyListError) {
    guard !isEmpty else { return }
    var open = [element]
    while let innermost = open.last {
      try skipText()
      switch try next() {
      case .open(let name, let isEmpty):
        guard !isEmpty else { continue }
        guard open.count < limit else { throw error("elements nest more than \(limit) deep") }
        open.append(name)
      case .close(innermost): open.removeLast()
      case .close(let name): throw error("</\(name)> closes nothing")
      case .end: throw error("<\(innermost)> is not closed")
      }
    }
  }
}
