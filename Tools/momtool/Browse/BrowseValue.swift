import DataModels
import Foundation
import ManagedObjects
import ModelReports

/// A value as a page shows it; what isn't there is left out.
struct BrowseValue: Encodable, Sendable {
  /// The value on one line, or whole.
  var text: String?
  /// Whether the text goes on.
  var cut: Bool?
  /// The objects that a relationship leads to: the entity's place in the page, and the key.
  var links: [[Int64]]?
  /// How many more there are.
  var more: Int?
  /// How many bytes the value has.
  var bytes: Int?
  /// Whether the bytes are a picture.
  var picture: Bool?
  /// What the bytes hold, where that is a property list, an archive or a text, compressed or not.
  var decoded: String?
  /// The first bytes.
  var hex: String?

  /// The most bytes of a text by itself.
  private static let whole = 256 << 10
  /// The most bytes that are decoded for a table.
  private static let decodedBriefly = 64 << 10

  /// A value in a table.
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

  /// A value by itself.
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

  /// A relationship: the names of the objects that it leads to.
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

  /// What an object's name says: the place of its entity in the page, and its key.
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

  /// Sixteen bytes a line, with their places and as text.
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
  /// The text, when it is one.
  fileprivate var text: String? {
    if case .text(let text) = self { return text }
    return nil
  }
}
