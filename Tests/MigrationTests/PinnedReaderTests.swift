import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// A context pinned to a query generation has the external files of that state, though the store is migrated beside
/// it.
@Suite struct PinnedReaderTests {
  private func model(_ version: Int) -> NSManagedObjectModel {
    let photo = attribute("photo", .binaryDataAttributeType)
    photo.allowsExternalBinaryDataStorage = true
    let note = entity("Note", [attribute("text", .stringAttributeType)])
    if version == 1 { note.properties.append(photo) }
    return NSManagedObjectModel(of: [note])
  }

  private func options(inStages: Bool) -> [AnyHashable: Any] {
    guard inStages else { return TestStore.migrating }
    let stage = NSLightweightMigrationStage([1, 2].map { model($0).versionChecksum })
    return [
      NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([stage]),
      MomKitMigrationSourceModelOption: model(1),
    ]
  }

  @Test(arguments: [false, true]) func externalFilesStayWhileTheyAreRead(inStages: Bool) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    let coordinator = try TestStore.coordinator(model(1), at: url)
    let writer = TestStore.context(coordinator)
    let photo = Data(repeating: 7, count: 200_000)
    let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: writer)
    (note["text"], note["photo"]) = ("read later", photo)
    try writer.save()
    let reader = TestStore.context(coordinator)
    try reader.setQueryGenerationFrom(.current)
    #expect(try reader.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note")) == 1)

    try TestStore.migrate(url, to: model(2), options: options(inStages: inStages))
    #expect(reader.object(with: note.objectID)["photo"] as? Data == photo)
    let files = folder.file(".Notes_SUPPORT/_EXTERNAL_DATA").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: files).count == 1)
    try reader.setQueryGenerationFrom(nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: files).isEmpty)
  }
}
