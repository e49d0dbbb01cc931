import CoreData
import XCTest

@testable import DataLayers

/// A generic repository and a table with sections.
final class RepositoryTests: XCTestCase {
  private var container: NSPersistentContainer!

  override func setUp() {
    super.setUp()
    container = PersistenceController(inMemory: true).container
  }

  override func tearDown() {
    container = nil
    super.tearDown()
  }

  func testTheRepositoryMakesFindsAndDeletes() throws {
    let contacts = ManagedRepository<Contact>(context: container.viewContext)
    for (name, team) in [("Ada", "Engines"), ("Grace", "Compilers"), ("Edith", "Engines")] {
      try contacts.create { ($0.name, $0.team) = (name, team) }
    }
    XCTAssertEqual(try contacts.count(), 3)
    let engines = NSPredicate(format: "%K == %@", #keyPath(Contact.team), "Engines")
    let sort = NSSortDescriptor(keyPath: \Contact.name, ascending: false)
    XCTAssertEqual(
      try contacts.all(matching: engines, sortedBy: [sort]).map(\.name), ["Edith", "Ada"])
    let ada = try XCTUnwrap(contacts.first(matching: NSPredicate(format: "name BEGINSWITH[c] 'a'")))
    XCTAssertNotNil(ada.identifier)
    XCTAssertEqual(ada.initial, "A")
    try contacts.delete(ada)
    XCTAssertEqual(try contacts.count(matching: engines), 1)
    let items: some Repository = ManagedRepository<Item>(context: container.viewContext)
    XCTAssertEqual(try items.count(matching: nil), 0)
  }

  func testTheTableIsToldWhereThingsGo() throws {
    let context = container.viewContext
    let contacts = ManagedRepository<Contact>(context: context)
    let grace = try contacts.create { ($0.name, $0.team) = ("Grace", "Compilers") }
    let ada = try contacts.create { ($0.name, $0.team) = ("Ada", "Engines") }
    let book = ContactBook(context: context)
    XCTAssertEqual(book.sectionTitles, ["Compilers", "Engines"])
    XCTAssertEqual(book.contact(at: IndexPath(row: 0, section: 1)), ada)
    let edith = try contacts.create { ($0.name, $0.team) = ("edith", "Engines") }
    XCTAssertEqual(book.changes, ["inserted 1.1"])
    edith.name = "Aaron"
    try context.save()
    XCTAssertEqual(book.changes, ["moved 1.1 to 1.0"])
    XCTAssertEqual(book.indexPath(of: ada), IndexPath(row: 1, section: 1))
    try contacts.delete(grace)
    XCTAssertEqual(Set(book.changes), ["section 0 went", "deleted 0.0"])
    XCTAssertEqual(book.sectionTitles, ["Engines"])
    XCTAssertEqual(book.numberOfRows(inSection: 0), 2)
  }
}
