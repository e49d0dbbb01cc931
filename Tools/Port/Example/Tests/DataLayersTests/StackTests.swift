import CoreData
import XCTest

@testable import DataLayers

/// Nested contexts and the notifications of their saves.
final class StackTests: XCTestCase {
  private var stack: CoreDataStack!
  private var folder: URL!

  override func setUpWithError() throws {
    try super.setUpWithError()
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("StackTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    stack = try CoreDataStack(storeURL: folder.appendingPathComponent("Tasks.sqlite"))
  }

  override func tearDownWithError() throws {
    stack = nil
    try FileManager.default.removeItem(at: folder)
    try super.tearDownWithError()
  }

  private func storedTitles() throws -> [String] {
    try stack.readingContext.performAndWait {
      let request = NSFetchRequest<TaskMO>(entityName: "Task")
      request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      return try stack.readingContext.fetch(request).compactMap(\.title)
    }
  }

  func testWhatAChildSavesReachesTheStoreInSteps() throws {
    let child = stack.childContext()
    let id: NSManagedObjectID = try child.performAndWait {
      let task = TaskMO(context: child)
      task.title = "Sweep"
      try child.obtainPermanentIDs(for: [task])
      try child.save()
      return task.objectID
    }
    XCTAssertFalse(id.isTemporaryID)
    let task = try XCTUnwrap(try stack.mainContext.existingObject(with: id) as? TaskMO)
    XCTAssertTrue(task.isInserted)
    XCTAssertEqual(stack.insertedCount, 1)
    XCTAssertEqual(try storedTitles(), [])
    try stack.saveAll()
    XCTAssertEqual(try storedTitles(), ["Sweep"])
    XCTAssertEqual(stack.savedTitles, ["Sweep"])
    XCTAssertFalse(stack.mainContext.hasChanges)
  }

  func testTheReadingContextIsKeptUpToDate() throws {
    let task = TaskMO(context: stack.mainContext)
    task.title = "Sweep"
    try stack.saveAll()
    let reading = stack.readingContext
    let seen = try reading.performAndWait {
      try XCTUnwrap(try reading.fetch(TaskMO.fetchRequest()).first)
    }
    reading.performAndWait { XCTAssertEqual(seen.title, "Sweep") }
    task.title = "Mop"
    try stack.saveAll()
    reading.performAndWait { XCTAssertEqual(seen.title, "Mop") }
    stack.mainContext.delete(task)
    try stack.saveAll()
    reading.performAndWait { XCTAssertTrue(seen.isDeleted || seen.managedObjectContext == nil) }
  }

  func testTheEditorIsThrownAwayOrSaved() throws {
    let editor = try TaskEditor(nil, stack: stack)
    editor.task.title = "Cook"
    for title in ["Cut", "Boil", "Serve"] { editor.addStep(title) }
    XCTAssertEqual(stack.mainContext.insertedObjects.count, 0)
    try editor.done()
    XCTAssertEqual(stack.mainContext.insertedObjects.count, 4)
    try stack.saveAll()
    let id = editor.task.objectID
    let task = try XCTUnwrap(stack.mainContext.fetch(TaskMO.fetchRequest()).first)
    let another = try TaskEditor(task, stack: stack)
    XCTAssertEqual(another.stepTitles, ["Cut", "Boil", "Serve"])
    another.addStep("Eat")
    another.task.title = "Dine"
    another.cancel()
    XCTAssertEqual(another.stepTitles, ["Cut", "Boil", "Serve"])
    XCTAssertEqual(task.title, "Cook")
    XCTAssertEqual(task.steps?.count, 3)
    XCTAssertNotNil(id)
  }

  func testPerformChangesSaves() throws {
    let child = stack.childContext()
    // Waiting for the child's queue here would block its parent, which uses the main queue.
    let saved = expectation(forNotification: .NSManagedObjectContextDidSave, object: child)
    child.performChanges {
      let task = TaskMO(context: child)
      task.title = "Dust"
    }
    wait(for: [saved], timeout: 10)
    XCTAssertEqual(stack.mainContext.insertedObjects.count, 1)
    child.performAndWait {
      let task = TaskMO(context: child)
      task.setValue(nil, forKey: "title")
      XCTAssertFalse(child.saveOrRollback())
      XCTAssertFalse(child.hasChanges)
    }
    try stack.saveAll()
    XCTAssertEqual(try storedTitles(), ["Dust"])
  }
}
