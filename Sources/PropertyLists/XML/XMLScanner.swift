/// Walks over the tags and text of an XML property list.
struct XMLScanner {
  enum Token {
    case open(String, isEmpty: Bool)
    case close(String)
    case end
  }

  private let bytes: [UInt8]
  private(set) var offset = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// The next tag, after white space, comments, instructions and the document type.
  mutating func next() throws(PropertyListError) -> Token {
    while true {
      while offset < bytes.count, Self.isSpace(bytes[offset]) { offset += 1 }
      guard offset < bytes.count else { return .end }
      guard bytes[offset] == UInt8(ascii: "<") else { throw error("text where a tag should be") }
      if try skip("<!--", to: "-->") { continue }
      if try skip("<?", to: "?>") { continue }
      if looking(at: "<!") {
        try skipDocumentType()
        continue
      }
      return try tag()
    }
  }

  /// The text up to the closing tag of an element, which is passed too.
  mutating func text(of element: String) throws(PropertyListError) -> String {
    var text: [UInt8] = []
    while true {
      guard offset < bytes.count else { throw error("<\(element)> is not closed") }
      let byte = bytes[offset]
      if byte == UInt8(ascii: "&") {
        text.append(contentsOf: try entity().utf8)
      } else if byte != UInt8(ascii: "<") {
        text.append(byte)
        offset += 1
      } else if looking(at: "<![CDATA[") {
        let start = offset + 9
        _ = try skip("<![CDATA[", to: "]]>")
        text.append(contentsOf: bytes[start..<offset - 3])
      } else if try !skip("<!--", to: "-->") {
        break
      }
    }
    guard case .close(element) = try tag() else { throw error("<\(element)> is not closed") }
    guard let string = String(validating: text, as: UTF8.self) else {
      throw error("<\(element)> holds bytes that are no UTF-8")
    }
    return string
  }

  func error(_ message: String) -> PropertyListError {
    PropertyListError(.malformedXML, message, offset: offset)
  }

  // MARK: Parts of markup

  private func looking(at text: String) -> Bool {
    bytes[offset...].starts(with: text.utf8)
  }

  /// Passes from one mark to another; `false` when the first is not here.
  private mutating func skip(_ start: String, to end: String) throws(PropertyListError) -> Bool {
    guard looking(at: start) else { return false }
    var at = offset + start.utf8.count
    let last = Array(end.utf8)
    while at + last.count <= bytes.count {
      if bytes[at] == last[0], bytes[at...].starts(with: last) {
        offset = at + last.count
        return true
      }
      at += 1
    }
    throw error("\(start) without \(end)")
  }

  private mutating func skipDocumentType() throws(PropertyListError) {
    guard looking(at: "<!DOCTYPE") else { throw error("an unknown declaration") }
    var at = offset
    while at < bytes.count, bytes[at] != UInt8(ascii: ">") {
      guard bytes[at] != UInt8(ascii: "[") else {
        throw error("a document type with declarations of its own; remove it")
      }
      at += 1
    }
    guard at < bytes.count else { throw error("<!DOCTYPE without >") }
    offset = at + 1
  }

  private mutating func tag() throws(PropertyListError) -> Token {
    guard let end = bytes[offset...].firstIndex(of: UInt8(ascii: ">")) else {
      throw error("a tag without >")
    }
    var body = bytes[offset + 1..<end]
    let isClosing = body.first == UInt8(ascii: "/")
    if isClosing { body.removeFirst() }
    let isEmpty = body.last == UInt8(ascii: "/")
    if isEmpty { body.removeLast() }
    let name = body.prefix { !Self.isSpace($0) }
    guard !name.isEmpty, name.count <= 16, name.allSatisfy({ $0 < 0x80 }) else {
      throw error("a tag whose name is none of a property list's")
    }
    offset = end + 1
    let text = String(decoding: name, as: UTF8.self)
    return isClosing ? .close(text) : .open(text, isEmpty: isEmpty)
  }

  private mutating func entity() throws(PropertyListError) -> String {
    guard let end = bytes[offset...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
      throw error("& without ;")
    }
    let name = String(decoding: bytes[offset + 1..<end], as: UTF8.self)
    guard let character = XMLReference.character(name[...]) else {
      throw error("&\(name); is not known here")
    }
    offset = end + 1
    return String(character)
  }
}
