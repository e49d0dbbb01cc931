import CoreData
import Foundation
import Testing

@Suite struct CollectionKeyTests {
  @Test func `collections give their members' values`() throws {
    let context = try makeGuestBook()
    context.performAndWait {
      let guests = ["b", "a", "b"].map { title in
        let guest = Guest(context: context)
        (guest.title, guest.age) = (title, 20)
        return guest
      }
      #expect((guests as NSArray).value(forKey: "title") as? [String] == ["b", "a", "b"])
      #expect((NSSet(array: guests).value(forKey: "title") as? NSSet)?.count == 2)
      let titles = NSOrderedSet(array: guests).value(forKey: "title") as? NSOrderedSet
      #expect(titles?.array as? [String] == ["b", "a"])
      #expect((guests as NSArray).value(forKey: "@count") as? Int == 3)
      #expect((NSArray().value(forKey: "title") as? [String]) == [])
    }
  }
}
