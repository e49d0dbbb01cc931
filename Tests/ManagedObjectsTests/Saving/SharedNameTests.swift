import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Relationships of two entities that have one name, to-many in one and to-one in the other.
@Suite struct SharedNameTests {
  private func model(rule: NSDeleteRule) -> NSManagedObjectModel {
    let (a, b, kid) = (entity("A"), entity("B"), entity("Kid"))
    let many = relationship("other", to: b, max: 0)
    let one = relationship("other", to: a, max: 1)
    link(many, one)
    let kids = relationship("kids", to: kid, max: 0, rule: rule)
    let parent = relationship("parent", to: b, max: 1)
    link(kids, parent)
    a.properties = [many] + (0..<3).map { attribute("x\($0)", .stringAttributeType) }
    b.properties = [one, kids]
    kid.properties = [attribute("name", .stringAttributeType), parent]
    return NSManagedObjectModel(of: [a, b, kid])
  }

  @Test(arguments: [NSDeleteRule.cascadeDeleteRule, .nullifyDeleteRule])
  func deletionsReachAllMembers(rule: NSDeleteRule) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let writer = try TestStore.open(url, model(rule: rule))
    let a = Library.new("A", in: writer)
    let b = Library.new("B", ["other": a], in: writer)
    _ = Library.new("Kid", ["name": "k", "parent": b], in: writer)
    try writer.save()
    let context = try TestStore.open(url, model(rule: rule))
    let (first, second) = (
      try Library.all("A", in: context)[0], try Library.all("B", in: context)[0]
    )
    #expect((first["other"] as? NSSet)?.count == 1)
    #expect((second["kids"] as? NSSet)?.count == 1)
    context.delete(first)
    context.delete(second)
    try context.save()
    let connection = try SQLiteConnection.reading(url)
    #expect(
      try connection.integer("SELECT count(*) FROM ZKID")
        == (rule == .cascadeDeleteRule ? 0 : 1))
    #expect(try connection.integer("SELECT count(*) FROM ZKID WHERE ZPARENT IS NOT NULL") == 0)
  }
}
