import Foundation
import TestSupport

/// The real stores of the corpus.
enum CorpusStore {
  static let all = Corpus.files(ofKind: "sqlite")

  /// A copy of a store with its companions, for a test that writes.
  static func copy(_ store: Corpus.File, into folder: TemporaryFolder) throws -> URL {
    let copy = folder.file("store.sqlite")
    for suffix in ["", "-wal"]
    where FileManager.default.fileExists(
      atPath: store.url.path + suffix)
    {
      try FileManager.default.copyItem(
        atPath: store.url.path + suffix, toPath: copy.path + suffix)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o600], ofItemAtPath: copy.path + suffix)
    }
    return copy
  }
}
