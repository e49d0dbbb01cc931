import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Stores that are opened by the version hashes that a bundle records.
@Suite struct RecordedHashTests {
  private func model(countType: NSAttributeType = .integer16AttributeType) -> NSManagedObjectModel {
    NSManagedObjectModel(of: [
      entity("Note", [attribute("count", countType), attribute("text", .stringAttributeType)])
    ])
  }

  /// A bundle, and a store that was made with it.
  private func files(in folder: TemporaryFolder) throws -> (bundle: URL, store: URL) {
    let (bundle, store) = (folder.file("Notes.momd"), folder.file("Notes.sqlite"))
    try model().write(to: bundle)
    let coordinator = try TestStore.coordinator(model(), at: store)
    let context = TestStore.context(coordinator)
    let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
    (note["count"], note["text"]) = (1, "one")
    try context.save()
    return (bundle, store)
  }

  private func texts(_ context: NSManagedObjectContext) throws -> [String] {
    try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
      .compactMap { $0["text"] as? String }.sorted()
  }

  @Test func aModelKnowsThemUntilItIsChanged() throws {
    let folder = try TemporaryFolder()
    let bundle = try files(in: folder).bundle
    let model = try #require(NSManagedObjectModel(contentsOf: bundle))
    // Other tests change models meanwhile: then nothing is known.
    let recorded = model.recordedVersionHashes
    #expect(recorded == nil || recorded == model.entityVersionHashesByName)
    let note = try #require(model.entitiesByName["Note"])
    note.versionHashModifier = "2"
    #expect(model.recordedVersionHashes == nil)
    model.freeze()
    #expect(model.recordedVersionHashes == nil)
    let alone = try NSManagedObjectModel(loading: bundle.appendingPathComponent("Notes.mom").path)
    #expect(alone.recordedVersionHashes == nil)
    #expect(NSManagedObjectModel().recordedVersionHashes == nil)
  }

  @Test func aStoreIsReadAndWritten() throws {
    let folder = try TemporaryFolder()
    let files = try files(in: folder)
    let model = try #require(NSManagedObjectModel(contentsOf: files.bundle))
    let context = TestStore.context(try TestStore.coordinator(model, at: files.store))
    #expect(try texts(context) == ["one"])
    NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)["text"] = "two"
    try context.save()
    #expect(try texts(context) == ["one", "two"])
  }

  /// The file of a version was replaced, and not what its bundle records of it: columns have the same names, and other
  /// types.
  @Test func nothingIsWrittenByWrongHashes() throws {
    let folder = try TemporaryFolder()
    let files = try files(in: folder)
    try model(countType: .doubleAttributeType)
      .write(to: files.bundle.appendingPathComponent("Notes.mom"))
    var loaded: NSManagedObjectModel?
    for _ in 0..<1_000 where loaded?.recordedVersionHashes == nil {
      let model = try #require(NSManagedObjectModel(contentsOf: files.bundle))
      model.freeze()
      loaded = model
    }
    let model = try #require(loaded)
    #expect(model.recordedVersionHashes != model.entityVersionHashesByName)
    let coordinator = try TestStore.coordinator(model, at: files.store)
    let context = TestStore.context(coordinator)
    #expect(try texts(context) == ["one"])
    NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)["text"] = "two"
    for _ in 0..<2 {
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    }
    let deletion = NSBatchDeleteRequest(
      fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Note"))
    #expect(throws: NSError.self) { try context.execute(deletion) }
    context.rollback()
    #expect(try texts(context) == ["one"])
  }
}
