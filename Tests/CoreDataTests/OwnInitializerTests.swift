import CoreData
import Testing

extension NSManagedObject {
  /// What programs declared before Core Data did, and still have.
  fileprivate convenience init(context: NSManagedObjectContext) {
    self.init(entity: Self.entity(), insertInto: context)
    setPrimitiveValue("by the program", forKey: "title")
  }
}

@Suite struct OwnInitializerTests {
  @Test func `a program's own initializer for a context comes first`() throws {
    let context = try makeGuestBook()
    context.performAndWait {
      #expect(Guest(context: context).title == "by the program")
      #expect(context.insertedObjects.count == 1)
    }
  }
}
