import DataModels
import Foundation
import ManagedObjects
import ModelReports

/// A value for display in a page. Missing values are omitted.
struct BrowseValue: Encodable, Sendable {
  /// The value as text, on one line in tables.
  var text: String?
  /// Whether the text was truncated.
  var cut: Bool?
  /// The objects that a relationship refers to, each as an entity index in the page and a key.
  var links: [[Int64]]?
  /// The number of further objects.
  var more: Int?
  /// The size of the value in bytes.
  var bytes: Int?
  /// Whether the bytes are an image.
  var picture: Bool?
  /// The decoded contents of binary data: a property list, an archive or text, compressed or not.
  var decoded: String?
  /// A hex dump of the first bytes.
  var hex: String?

  /// The maximum length in bytes of a text shown by itself.
  private static let whole = 256 << 10
  /// The maximum number of bytes to decode for a table.
  private static let decodedBriefly = 64 << 10

  /// Creates the abbreviated form of a value for a table.
  init(brief value: ListedValue) {
    guard case .bytes(let data) = value else {
      text = ReportData.Store.text(value)
      return
    }
    bytes = data.count
    if PictureKind(data) != nil {
      picture = true
    } else if data.count <= Self.decodedBriefly, let inner = BlobDecoding.listed(data) {
      decoded = ReportData.Store.text(inner) ?? "null"
    }
  }

  /// Creates the full form of a value shown by itself.
  init(whole value: ListedValue) {
    switch value {
    case .bytes(let data):
      bytes = data.count
      if PictureKind(data) != nil {
        picture = true
      } else if let inner = BlobDecoding.listed(data) {
        decoded = Self.cut(inner.text ?? JSONText.indented(inner.json.utf8)).text
      }
      hex = Self.hex(data.prefix(256))
    case .record: text = Self.cut(JSONText.indented(value.json.utf8)).text
    case .text(let whole):
      let (text, isCut) = Self.cut(whole)
      self.text = text
      if isCut { cut = true }
    default: text = ReportData.Store.text(value)
    }
  }

  /// Creates the value of a relationship from the names of its objects.
  init(linksOf value: ListedValue, _ places: [String: Int], most: Int) {
    let names: [String] =
      switch value {
      case .text(let name): [name]
      case .list(let members): members.compactMap(\.cell)
      default: []
      }
    guard !names.isEmpty else { return }
    links = names.prefix(most).compactMap { name in
      Self.object(name, places).map { [Int64($0.entity), $0.key] }
    }
    if names.count > most { more = names.count - most }
  }

  /// Parses an object's name into its entity's index in the page and its key.
  static func object(_ name: String, _ places: [String: Int]) -> (entity: Int, key: Int64)? {
    guard let slash = name.range(of: "/p", options: .backwards),
      let key = Int64(name[slash.upperBound...]),
      let place = places[String(name[..<slash.lowerBound])]
    else { return nil }
    return (place, key)
  }

  private static func cut(_ text: String) -> (text: String, isCut: Bool) {
    guard text.utf8.count > whole else { return (text, false) }
    return (String(decoding: text.utf8.prefix(whole), as: UTF8.self) + "…", true)
  }

  /// Returns a hex dump: 16 bytes per line, with offsets and characters.
  private static func hex(_ data: Data) -> String {
    let bytes = Array(data)
    func digits(_ number: Int, _ count: Int) -> String {
      let text = String(number, radix: 16)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    return stride(from: 0, to: bytes.count, by: 16).map { start in
      let line = bytes[start..<min(start + 16, bytes.count)]
      let pairs = line.map { digits(Int($0), 2) }.joined(separator: " ")
      let text = String(
        line.map { (0x20..<0x7F).contains($0) ? Character(Unicode.Scalar($0)) : "." })
      return digits(start, 4) + "  " + pairs
        + String(repeating: " ", count: max(0, 47 - pairs.count) + 2) + text
    }.joined(separator: "\n")
  }
}

extension ListedValue {
  /// The string, if the value is one.
  fileprivate var text: String? {
    if case .text(let text) = self { return text }
    return nil
  }
}
