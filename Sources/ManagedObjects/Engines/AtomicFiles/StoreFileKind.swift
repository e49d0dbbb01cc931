import DataModels
import Foundation
import PropertyLists

/// The kind of store in a file, judged by its content rather than its name or extension.
enum StoreFileKind: Sendable, CaseIterable {
  case sqlite, xml, binary

  /// The store type's name.
  var storeType: String {
    switch self {
    case .sqlite: NSSQLiteStoreType
    case .xml: NSXMLStoreType
    case .binary: NSBinaryStoreType
    }
  }

  /// A description for messages.
  var text: String {
    switch self {
    case .sqlite: "a SQLite file"
    case .xml: "an XML store"
    case .binary: "a binary store"
    }
  }

  /// Detects the kind of a file; nil if it isn't a store or can't be read.
  init?(contentsOf url: URL) {
    // Closing a file that SQLite has open drops its locks: others would take the database for one that nobody uses.
    if OpenStoreFiles.shared.isOpen(url.path) {
      self = .sqlite
      return
    }
    guard var bytes = try? FileBytes.readPrefix(of: url.path, count: 4096) else { return nil }
    // The marker of a keyed archive can be anywhere in the file.
    if BinaryPropertyList.hasMagic(bytes) {
      guard let whole = try? FileBytes.read(url.path) else { return nil }
      bytes = whole
    }
    self.init(bytes)
  }

  /// Detects the kind from a file's bytes. The first 4096 are enough unless it is a property list.
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
