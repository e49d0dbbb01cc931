import Foundation

/// Reads the binary `elements` of Xcode 3 into the tree that its `contents` would have.
enum LegacyModelReader {
  static func document(data: Data, path: String) throws -> SourceDocument {
    throw ModelSourceError(.document, path: path, "the Xcode 3 form is not read yet")
  }
}
