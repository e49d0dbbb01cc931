import Foundation
import MomKit
import MomKitPostgreSQL
import Testing

/// Metadata that programs add to a store.
@Suite(.enabled(if: TestServer.isThere)) struct MetadataTests {
  private static let date = Date(timeIntervalSinceReferenceDate: 600_000_000.015_625)
  private static var entries: [String: Any] {
    [
      "when": date, "all": [date, "x"] as [Any], "deep": ["when": date] as [String: Any],
      "control": "a\u{1}b", "text": "<é> & more", "number": 0.1, "bytes": Data([0, 1, 255]),
    ]
  }

  private func set(_ more: [String: Any], at contexts: TestContexts) throws {
    let context = try contexts.context()
    let coordinator = try #require(context.persistentStoreCoordinator)
    let store = coordinator.persistentStores[0]
    coordinator.setMetadata(coordinator.metadata(for: store).merging(more) { $1 }, for: store)
    try context.save()
  }

  private func read(_ url: URL, _ type: String) throws -> [String: Any] {
    try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
  }

  private func requireEntries(_ metadata: [String: Any]) {
    for (key, value) in Self.entries {
      #expect(
        (metadata[key] as? NSObject) == (value as? NSObject) && metadata[key] != nil,
        "\(key): \(metadata[key] ?? "nil")")
    }
    #expect(metadata["when"] as? Date == Self.date)
    #expect((metadata["deep"] as? [String: Any])?["when"] as? Date == Self.date)
  }

  /// Dates keep their fractions of a second, and strings all characters, also in copies.
  @Test func valuesComeBackExactly() throws {
    let contexts = try TestContexts(NSPostgreSQLStoreType, TestModel.shop())
    try set(Self.entries, at: contexts)
    requireEntries(try read(contexts.url, NSPostgreSQLStoreType))
    try CopyTrial.inFolder { folder in
      let file = folder.appendingPathComponent("copy.sqlite")
      let there = try CopyTrial.copy(contexts.url.absoluteString, file.path)
      #expect(there.status == 0, "\(there.errors)")
      requireEntries(try read(file, NSSQLiteStoreType))
      let again = try TestServer.url()
      let back = try CopyTrial.copy(file.path, again.absoluteString)
      #expect(back.status == 0, "\(back.errors)")
      requireEntries(try read(again, NSPostgreSQLStoreType))
    }
  }

  /// A program that replaces a store's metadata doesn't replace what belongs to the store, such as the version hashes.
  @Test func whatBelongsToTheStoreStays() throws {
    let contexts = try TestContexts(NSPostgreSQLStoreType, TestModel.shop())
    let context = try contexts.context()
    let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
    let hashes = try #require(store.metadata[NSStoreModelVersionHashesKey] as? [String: Data])
    store.metadata = ["mine": "here"]
    try context.save()
    let metadata = try read(contexts.url, NSPostgreSQLStoreType)
    #expect(metadata["mine"] as? String == "here")
    #expect(metadata[NSStoreModelVersionHashesKey] as? [String: Data] == hashes)
    #expect(metadata[NSStoreUUIDKey] as? String == store.identifier)
    _ = context.insert("Tag")
    try context.save()
    #expect(try contexts.context().all("Tag").count == 1)
  }

  @Test func aStoreTakesAnotherIdentifier() throws {
    let contexts = try TestContexts(NSPostgreSQLStoreType, TestModel.shop())
    let (context, former) = (try contexts.context(), try contexts.context())
    let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
    _ = context.insert("Tag", ["title": "a"])
    try context.save()
    let new = UUID().uuidString
    store.identifier = new
    #expect(store.metadata[NSStoreUUIDKey] as? String == new)
    for title in ["b", "c"] {
      _ = context.insert("Tag", ["title": title])
      try context.save()
      let metadata = try read(contexts.url, NSPostgreSQLStoreType)
      #expect(metadata[NSStoreUUIDKey] as? String == new)
    }
    let other = try contexts.context()
    #expect(other.persistentStoreCoordinator?.persistentStores.first?.identifier == new)
    #expect(try other.all("Tag").count == 3)
    // Who has it open under the former one would save objects whose URIs lead nowhere.
    _ = former.insert("Tag")
    #expect(throws: NSError.self) { try former.save() }
  }

  /// What an XML property list keeps is stored as one, which stores made by earlier versions have throughout.
  @Test func plainMetadataAreXML() throws {
    let contexts = try TestContexts(NSPostgreSQLStoreType, TestModel.shop())
    let whole = Date(timeIntervalSinceReferenceDate: 600_000_000)
    try set(["mine": "here", "when": whole], at: contexts)
    let texts = try TestServer.texts("SELECT metadata FROM _momkit", at: contexts.url)
    #expect(texts.first?.contains("<string>here</string>") == true)
    let metadata = try read(contexts.url, NSPostgreSQLStoreType)
    #expect(metadata["mine"] as? String == "here")
    #expect(metadata["when"] as? Date == whole)
  }
}
