import Foundation
import PropertyLists

/// What kind of store a file is, by its contents: names and extensions say nothing.
enum StoreFileKind: Sendable, CaseIterable {
  case sqlite, xml, binary

  /// The name of the stores' type.
  var storeType: String {
    switch self {
    case .sqlite: NSSQLiteStoreType
    case .xml: NSXMLStoreType
    case .binary: NSBinaryStoreType
    }
  }

  /// What it is, for messages.
  var text: String {
    switch self {
    case .sqlite: "a SQLite file"
    case .xml: "an XML store"
    case .binary: "a binary store"
    }
  }

  /// Looks at a file; nil for one that is none of a store, or can't be read.
  init?(contentsOf url: URL) {
    guard var bytes = try? FileBytes.readPrefix(of: url.path, count: 4096) else { return nil }
    // What an archive's top is called may stand anywhere in it.
    if BinaryPropertyList.hasMagic(bytes) {
      guard let whole = try? FileBytes.read(url.path) else { return nil }
      bytes = whole
    }
    self.init(bytes)
  }

  /// Looks at a file's bytes, of which the first are enough unless it is a property list.
  init?(_ bytes: [UInt8]) {
    let start = bytes.prefix(4096)
    if start.starts(with: Array("SQLite format 3\0".utf8)) {
      self = .sqlite
    } else if BinaryPropertyList.hasMagic(bytes) {
      guard Data(bytes).range(of: Data(BinaryStoreFormat.marker.utf8)) != nil else { return nil }
      self = .binary
    } else if XMLPropertyList.looksLikeXML(Array(start)), Self.hasDatabase(start) {
      self = .xml
    } else {
      return nil
    }
  }

  /// Whether the first element of a document is `<database>`.
  private static func hasDatabase(_ start: ArraySlice<UInt8>) -> Bool {
    var scanner = XMLScanner(Array(start))
    guard case .open("database", _)? = try? scanner.next() else { return false }
    return true
  }
}
