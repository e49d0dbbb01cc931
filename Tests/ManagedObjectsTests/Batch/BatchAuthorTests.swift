import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// The author of a batch in the history.
@Suite struct BatchAuthorTests {
  @Test func aBatchThroughAChildIsTheRoots() throws {
    let folder = try TemporaryFolder()
    let coordinator = try Library.coordinator(folder.file("store.sqlite"), history: true)
    func context(_ name: String, _ parent: NSManagedObjectContext?) -> NSManagedObjectContext {
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      if let parent {
        context.parent = parent
      } else {
        context.persistentStoreCoordinator = coordinator
      }
      context.performAndWait { (context.name, context.transactionAuthor) = (name, "by " + name) }
      return context
    }
    let root = context("root", nil)
    let child = context("child", context("between", root))
    try child.performAndWait {
      let insertion = NSBatchInsertRequest(entityName: "Tag", objects: [["name": "a"]])
      try child.execute(insertion)
      let update = NSBatchUpdateRequest(entityName: "Tag")
      update.propertiesToUpdate = ["name": "b"]
      try child.execute(update)
      let all = NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")
      try child.execute(NSBatchDeleteRequest(fetchRequest: all))
    }
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
    let result = try root.performAndWait { try root.execute(request) }
    let transactions = try #require(
      (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction])
    #expect(transactions.map(\.contextName) == ["root", "root", "root"])
    #expect(transactions.map(\.author) == ["by root", "by root", "by root"])
  }
}
