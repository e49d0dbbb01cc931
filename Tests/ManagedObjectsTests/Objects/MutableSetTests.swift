import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// The set of `mutableSetValue(forKey:)`, used as any other set.
@Suite struct MutableSetTests {
  private let context: NSManagedObjectContext
  private let owner: NSManagedObject
  private let (a, b): (NSManagedObject, NSManagedObject)

  init() throws {
    let items = SmallModel.relationship("items", many: true)
    let keeper = SmallModel.relationship("owner")
    let list = SmallModel.entity("List", [SmallModel.text("name"), items])
    let item = SmallModel.entity("Item", [SmallModel.text("name"), keeper])
    SmallModel.link((items, of: list), (keeper, of: item))
    context = SmallModel.context(try TestStore.coordinator(SmallModel.model(list, item)))
    owner = SmallModel.new("List", in: context)
    (a, b) = (
      SmallModel.new("Item", ["name": "a", "owner": owner], in: context),
      SmallModel.new("Item", ["name": "b"], in: context)
    )
  }

  @Test func setBackItKeepsItsMembers() throws {
    let items = owner.mutableSetValue(forKey: "items")
    items.add(b)
    owner.setValue(items, forKey: "items")
    #expect(SmallModel.names(owner, "items") == ["a", "b"])
    #expect(b["owner"] as? NSManagedObject === owner)
    let other = SmallModel.new("List", in: context)
    other.setValue(NSCountedSet(array: [a, b]), forKey: "items")
    #expect(SmallModel.names(other, "items") == ["a", "b"])
    #expect(SmallModel.names(owner, "items") == [])
    other.setValue(NSMutableSet(array: [a]), forKey: "items")
    #expect(SmallModel.names(other, "items") == ["a"])
  }

  @Test func itIsEqualToWhatHasTheSameMembers() {
    let items = owner.mutableSetValue(forKey: "items")
    #expect(items == owner.mutableSetValue(forKey: "items"))
    #expect(items == NSSet(object: a))
    #expect(items != NSSet(object: b))
    #expect(items != NSSet())
    #expect(items.isEqual(to: [a]))
    owner.setValue(nil, forKey: "items")
    #expect(items == NSSet())
  }

  @Test func itDescribesItsMembers() {
    let items = owner.mutableSetValue(forKey: "items")
    items.add(b)
    // Their order is the set's own.
    #expect("\(items)".count == NSSet(array: [a, b]).description.count)
    #expect(String(reflecting: items).contains("Item"))
    items.removeAllObjects()
    #expect("\(items)" == NSSet().description)
  }
}
