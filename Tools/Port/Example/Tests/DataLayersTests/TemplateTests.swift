import CoreData
import XCTest

@testable import DataLayers

/// The stack from Xcode's template and the list that it displays.
final class TemplateTests: XCTestCase {
  @MainActor
  func testThePreviewHasItems() throws {
    let context = PersistenceController.preview.container.viewContext
    XCTAssertEqual(try context.count(for: Item.fetchRequest()), 10)
    let request = Item.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(keyPath: \Item.timestamp, ascending: false)]
    request.fetchLimit = 1
    XCTAssertEqual(
      try context.fetch(request).first?.timestamp?.timeIntervalSinceReferenceDate, 9 * 86_400)
  }

  func testTheListFollowsItsContext() throws {
    let controller = PersistenceController(inMemory: true)
    let list = ItemList(context: controller.container.viewContext)
    var changes = 0
    list.onChange = { changes += 1 }
    for second in [3, 1, 2] {
      list.addItem(at: Date(timeIntervalSinceReferenceDate: Double(second)))
    }
    XCTAssertEqual(list.items.map { $0.timestamp?.timeIntervalSinceReferenceDate }, [1, 2, 3])
    list.deleteItems(offsets: IndexSet([0, 2]))
    XCTAssertEqual(list.items.map { $0.timestamp?.timeIntervalSinceReferenceDate }, [2])
    XCTAssertEqual(changes, 4)
  }

  func testWhatIsSavedInTheBackgroundIsMerged() throws {
    let controller = PersistenceController(inMemory: true)
    let list = ItemList(context: controller.container.viewContext)
    let merged = expectation(description: "merged")
    list.onChange = { merged.fulfill() }
    controller.container.performBackgroundTask { context in
      let item = Item(context: context)
      item.timestamp = Date(timeIntervalSinceReferenceDate: 5)
      do { try context.save() } catch { XCTFail("\(error)") }
    }
    wait(for: [merged], timeout: 10)
    XCTAssertEqual(list.items.count, 1)
    XCTAssertEqual(list.items.first?.timestamp?.timeIntervalSinceReferenceDate, 5)
  }
}
