import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Counts of a relationship in which a row may refer to itself.
@Suite struct SelfReferenceTests {
  @Test func aRowIsCountedOnceAmongItsOwn() throws {
    let folder = try TemporaryFolder()
    let (parent, children) = (
      SmallModel.relationship("parent"), SmallModel.relationship("children", many: true)
    )
    let count = NSDerivedAttributeDescription()
    (count.name, count.attributeType, count.isOptional) = ("count", .integer64AttributeType, true)
    count.derivationExpression = NSExpression(format: "children.@count")
    let node = SmallModel.entity("Node", [SmallModel.text("name"), parent, children, count])
    SmallModel.link((parent, of: node), (children, of: node))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(node), folder.file("a.sqlite"))
    let context = SmallModel.context(coordinator)
    func counts() throws -> [Int?] {
      let reader = SmallModel.context(coordinator)
      return try SmallModel.all("Node", reader).map { $0["count"] as? Int }
    }
    let own = SmallModel.new("Node", in: context)
    own["parent"] = own
    try context.save()
    #expect(try counts() == [1])
    #expect(own["count"] as? Int == 1)
    let other = SmallModel.new("Node", ["parent": own], in: context)
    try context.save()
    #expect(try counts() == [2, 0])
    own["parent"] = other
    try context.save()
    #expect(try counts() == [1, 1])
    other["parent"] = other
    try context.save()
    #expect(try counts() == [0, 2])
    context.delete(own)
    try context.save()
    #expect(try counts() == [1])
  }
}
