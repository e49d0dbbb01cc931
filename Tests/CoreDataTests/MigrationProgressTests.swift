import CoreData
import Foundation
import Testing

/// A migration manager that shows its progress, as programs write it.
@Suite struct MigrationProgressTests {
  private final class ShowingManager: NSMigrationManager, ProgressReporting, @unchecked Sendable {
    let progress = Progress(totalUnitCount: 100)
    private(set) var shown: [Int64] = []

    override func didChangeValue(forKey key: String) {
      super.didChangeValue(forKey: key)
      guard key == "migrationProgress" else { return }
      progress.completedUnitCount = max(
        progress.completedUnitCount, Int64(migrationProgress * 100))
      shown.append(progress.completedUnitCount)
    }
  }

  private func model(_ names: [String]) -> NSManagedObjectModel {
    let entity = NSEntityDescription()
    entity.name = "Step"
    entity.properties = names.map { name in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = .stringAttributeType
      attribute.isOptional = true
      return attribute
    }
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return model
  }

  @Test func theProgressIsTold() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (old, new) = (model(["name"]), model(["name", "note"]))
    let url = folder.appendingPathComponent("Old.sqlite")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: old)
    let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      for number in 0..<4 {
        NSEntityDescription.insertNewObject(forEntityName: "Step", into: context)
          .setValue("\(number)", forKey: "name")
      }
      try context.save()
    }
    try coordinator.remove(store)
    let manager = ShowingManager(sourceModel: old, destinationModel: new)
    manager.usesStoreSpecificMigrationManager = false
    try manager.migrateStore(
      from: url, type: .sqlite,
      mapping: NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new),
      to: folder.appendingPathComponent("New.sqlite"), type: .sqlite)
    #expect(manager.shown.count >= 4)
    #expect(manager.shown == manager.shown.sorted())
    #expect(manager.shown.last ?? 0 > 50)
  }
}
