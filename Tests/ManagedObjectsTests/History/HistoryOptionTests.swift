import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Stores with history that are opened without history tracking: read-only, as in Core Data ("Forcing into Read Only
/// mode"), so that nothing is saved that readers of the history would miss.
@Suite struct HistoryOptionTests {
  private let folder: TemporaryFolder
  private let file: URL
  private let model: NSManagedObjectModel

  init() throws {
    folder = try TemporaryFolder()
    file = folder.file("a.sqlite")
    model = SmallModel.model(SmallModel.entity("Note", [SmallModel.text("name")]))
    let context = SmallModel.context(try coordinator(history: true))
    SmallModel.new("Note", ["name": "one"], in: context)
    try context.save()
  }

  private func coordinator(history: Bool) throws -> NSPersistentStoreCoordinator {
    try SmallModel.coordinator(
      model, file, options: history ? [NSPersistentHistoryTrackingKey: true as NSNumber] : nil)
  }

  @Test func aStoreWithHistoryIsReadOnlyWithoutTheOption() throws {
    let context = SmallModel.context(try coordinator(history: false))
    let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
    #expect(store.isReadOnly)
    let note = try #require(try SmallModel.all("Note", context).first)
    note["name"] = "changed"
    let update = #expect(throws: NSError.self) { try context.save() }
    #expect(update?.code == NSPersistentStoreSaveError)
    #expect(update?.localizedDescription.contains("NSPersistentHistoryTrackingKey") == true)
    context.rollback()
    SmallModel.new("Note", in: context)
    let insert = #expect(throws: NSError.self) { try context.save() }
    #expect(insert?.code == NSPersistentStoreSaveError)
    #expect(insert?.localizedDescription.contains("NSPersistentHistoryTrackingKey") == true)
    #expect(throws: NSError.self) {
      try context.execute(NSBatchInsertRequest(entityName: "Note", objects: [["name": "b"]]))
    }
  }

  @Test func aHistoryThatWasDeletedIsNone() throws {
    let keeping = SmallModel.context(try coordinator(history: true))
    try keeping.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
    let context = SmallModel.context(try coordinator(history: false))
    #expect(context.persistentStoreCoordinator?.persistentStores.first?.isReadOnly == false)
    SmallModel.new("Note", ["name": "two"], in: context)
    try context.save()
    #expect(try SQLiteConnection.reading(file).integer("SELECT count(*) FROM ACHANGE") == 0)
    #expect(
      try SmallModel.all("Note", SmallModel.context(try coordinator(history: true))).count == 2)
  }
}
