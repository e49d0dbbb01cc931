import Foundation
import PropertyLists

/// A parser for XML store files.
struct XMLStoreReader {
  /// The part of the file before the objects.
  struct Head {
    var uuid: String?
    var lastKey: Int64 = 0
    var metadata: [String: Any] = [:]
    /// The range of the whole `<databaseInfo>` element.
    var info = 0..<0
    /// The ranges of unknown elements in it.
    var others: [Range<Int>] = []
  }

  /// The start tag of an object.
  struct ObjectHead {
    let type: String
    let key: Int64
    let isEmpty: Bool
  }

  /// A part of an object.
  enum Item {
    case attribute(name: String, text: String)
    case relationship(name: String, targets: [Int64])
    /// An unknown element.
    case unknown
  }

  private let bytes: [UInt8]
  private var scanner: XMLScanner
  /// The version number in all files.
  static let version = "134481920"

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    scanner = XMLScanner(bytes)
  }

  init(_ bytes: [UInt8], from place: Int) {
    self.bytes = bytes
    scanner = XMLScanner(bytes, from: place)
  }

  /// The end of the last element.
  var place: Int { scanner.offset }
  /// The start of the last tag.
  var tagStart: Int { scanner.tagStart }

  // MARK: Errors

  func damage(_ problem: String, at offset: Int? = nil) -> StoreFileDamage {
    let offset = min(offset ?? scanner.tagStart, bytes.count)
    let before = bytes[..<offset]
    let line = before.reduce(1) { $1 == 0x0A ? $0 + 1 : $0 }
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return StoreFileDamage(problem: problem, place: (line, offset - start + 1))
  }

  private func damage(_ error: PropertyListError) -> StoreFileDamage {
    damage(error.message, at: error.offset ?? scanner.offset)
  }

  private mutating func next() throws -> XMLScanner.Token {
    do throws(PropertyListError) { return try scanner.next() } catch { throw damage(error) }
  }

  private mutating func text(of element: String, isEmpty: Bool) throws -> String {
    guard !isEmpty else { return "" }
    do throws(PropertyListError) { return try scanner.text(of: element) } catch {
      throw damage(error)
    }
  }

  private mutating func skip(_ element: String, isEmpty: Bool) throws {
    do throws(PropertyListError) { try scanner.skip(element, isEmpty: isEmpty) } catch {
      throw damage(error)
    }
  }

  private func attributes() throws -> [(name: String, value: String)] {
    do throws(PropertyListError) { return try scanner.attributes() } catch {
      throw damage(error)
    }
  }

  // MARK: The head

  /// Reads the part before the objects.
  mutating func readHead() throws -> Head {
    guard case .open("database", isEmpty: false) = try next() else {
      throw damage("it doesn't begin with <database>")
    }
    try checkEncoding()
    guard case .open("databaseInfo", isEmpty: false) = try next() else {
      throw damage("<databaseInfo> is missing")
    }
    var head = Head()
    let start = tagStart
    var version: String?
    while true {
      switch try next() {
      case .open("version", let isEmpty):
        version = String(try text(of: "version", isEmpty: isEmpty).trimmingXMLSpace)
      case .open("UUID", let isEmpty):
        head.uuid = String(try text(of: "UUID", isEmpty: isEmpty).trimmingXMLSpace)
      case .open("nextObjectID", let isEmpty):
        let text = try text(of: "nextObjectID", isEmpty: isEmpty).trimmingXMLSpace
        guard let number = Int64(text), (0...Self.largestKey).contains(number) else {
          throw damage("<nextObjectID> contains no number of an object: \(text.prefix(40))")
        }
        head.lastKey = number
      case .open("metadata", let isEmpty):
        let from = scanner.offset
        let tag = tagStart
        try skip("metadata", isEmpty: isEmpty)
        head.metadata = isEmpty ? [:] : try metadata(from..<tagStart, at: tag)
      case .open(let name, let isEmpty):
        let from = tagStart
        try skip(name, isEmpty: isEmpty)
        head.others.append(from..<place)
      case .close("databaseInfo"):
        head.info = start..<place
        guard version == Self.version else {
          throw damage("it has the unknown version \(version ?? "none")", at: start)
        }
        guard head.uuid?.isEmpty == false else { throw damage("it has no <UUID>", at: start) }
        return head
      case .close(let name): throw damage("</\(name)> closes nothing")
      case .end: throw damage("<databaseInfo> is not closed", at: start)
      }
    }
  }

  /// The XML declaration may name another encoding, in which the file would be misread.
  private func checkEncoding() throws {
    let text = String(decoding: bytes[..<tagStart].prefix(512), as: UTF8.self)
    guard let start = text.range(of: "encoding=")?.upperBound else { return }
    let name = text[start...].dropFirst().prefix { $0 != "\"" && $0 != "'" }.lowercased()
    guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(name) else {
      throw damage("it is in the encoding \(name.prefix(40)), not UTF-8", at: 0)
    }
  }

  private func metadata(_ range: Range<Int>, at place: Int) throws -> [String: Any] {
    guard bytes[range].contains(where: { !XMLScanner.isSpace($0) }) else { return [:] }
    do { return try MetadataList.values(Data(bytes[range]), in: "<metadata>") } catch {
      throw damage((error as NSError).localizedDescription, at: place)
    }
  }

  // MARK: Objects

  /// Reads the start tag of the next object; nil at the end of the database element, which must be closed.
  mutating func nextObject() throws -> ObjectHead? {
    switch try next() {
    case .open("object", let isEmpty):
      var type: String?
      var id: String?
      for attribute in try attributes() {
        switch attribute.name {
        case "type": type = attribute.value
        case "id": id = attribute.value
        default: throw damage("an <object> has the unknown attribute '\(attribute.name)'")
        }
      }
      guard let type, let id else { throw damage("an <object> lacks its type or its id") }
      return ObjectHead(type: type, key: try key(id[...]), isEmpty: isEmpty)
    case .close("database"):
      let end = place
      guard case .end = try next() else { throw damage("there is something after </database>") }
      // What follows is white space and comments.
      scanner = XMLScanner(bytes, from: end)
      return nil
    case .open(let name, _): throw damage("<\(name)> isn't an element of an XML store")
    case .close(let name): throw damage("</\(name)> closes nothing")
    case .end: throw damage("<database> is not closed", at: bytes.count)
    }
  }

  /// Reads the next part of an object; nil at its end.
  mutating func nextItem() throws -> Item? {
    switch try next() {
    case .open("attribute", let isEmpty):
      var name: String?
      for attribute in try attributes() where attribute.name == "name" { name = attribute.value }
      guard let name else { throw damage("an <attribute> lacks its name") }
      let start = tagStart
      let text = try text(of: "attribute", isEmpty: isEmpty)
      scanner.goBack(to: start)
      return .attribute(name: name, text: text)
    case .open("relationship", let isEmpty):
      var name: String?
      var targets: String?
      for attribute in try attributes() {
        if attribute.name == "name" { name = attribute.value }
        if attribute.name == "idrefs" { targets = attribute.value }
      }
      guard let name else { throw damage("a <relationship> lacks its name") }
      let keys = try (targets ?? "").split(whereSeparator: \.isWhitespace).map { try key($0) }
      let start = tagStart
      try skip("relationship", isEmpty: isEmpty)
      scanner.goBack(to: start)
      return .relationship(name: name, targets: keys)
    case .open(let name, let isEmpty):
      let start = tagStart
      try skip(name, isEmpty: isEmpty)
      scanner.goBack(to: start)
      return .unknown
    case .close("object"): return nil
    case .close(let name): throw damage("</\(name)> closes nothing")
    case .end: throw damage("an <object> is not closed")
    }
  }

  /// The largest number of an object: 18 digits.
  static let largestKey: Int64 = 999_999_999_999_999_999

  /// The key in an ID: `z102` is 102.
  private func key(_ id: Substring) throws -> Int64 {
    guard id.utf8.first == UInt8(ascii: "z"), id.utf8.count <= 19,
      id.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) }),
      let key = Int64(id.dropFirst()), (1...Self.largestKey).contains(key)
    else { throw damage("'\(id.prefix(40))' isn't an id of an object, such as z102") }
    return key
  }
}
