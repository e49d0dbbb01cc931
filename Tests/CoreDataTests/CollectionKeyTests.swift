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

  @Test func `paths of keys lead through collections, with operators`() throws {
    let context = try makeGuestBook()
    context.performAndWait {
      let guests = ([20, 30, 30] as [Int64]).map { age in
        let guest = Guest(context: context)
        (guest.title, guest.age) = ("t\(age)", age)
        return guest
      }
      let array = guests as NSArray
      #expect(array.value(forKeyPath: "@sum.age") as? Int == 80)
      #expect(array.value(forKeyPath: "@max.age") as? Int == 30)
      #expect(
        (array.value(forKeyPath: "@distinctUnionOfObjects.title") as? [String])?.sorted() == [
          "t20", "t30",
        ])
      #expect(array.value(forKeyPath: "title") as? [String] == ["t20", "t30", "t30"])
    }
    let nested = ["person": ["name": "Ada", "tags": ["a", "b"]]] as NSDictionary
    #expect(nested.value(forKeyPath: "person.name") as? String == "Ada")
    #expect(nested.value(forKeyPath: "person.tags.@count") as? Int == 2)
    #expect(nested.value(forKeyPath: "person.age") == nil)
    #expect(nested.value(forKey: "none") == nil)
  }

  @Test func `settings have values by keys`() throws {
    let name = "momkit.\(UUID().uuidString)"
    let defaults = try #require(UserDefaults(suiteName: name))
    defer { defaults.removePersistentDomain(forName: name) }
    defaults.setValue(3, forKey: "count")
    #expect(defaults.value(forKey: "count") as? Int == 3)
    defaults.setValue(nil, forKey: "count")
    #expect(defaults.value(forKey: "count") == nil)
  }
}
