import DataModels
import Foundation
import TestSupport

@testable import ManagedObjects

/// The real stores of the corpus.
enum CorpusStore {
  static let all = Corpus.files(ofKind: "sqlite")

  /// A copy of a store and its companion files, for a test that writes.
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

extension CorpusStore {
  /// The model a store was created with: its own copy, or one from the corpus with the same hashes.
  static func model(of store: Corpus.File) throws -> NSManagedObjectModel? {
    let file = try StoreFile(at: store.url.path)
    if let model = try file.cachedModel() { return model }
    return compiledModels.first { $0.entityVersionHashesByName == file.metadata.entityHashes }
  }

  private static let compiledModels: [NSManagedObjectModel] = Corpus.files(ofKind: "mom")
    .compactMap { NSManagedObjectModel(contentsOf: $0.url) }
}
