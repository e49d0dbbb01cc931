import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import ManagedObjects
@testable import SQLiteStore

/// Deletions of objects that were never saved, in the event that made them.
@Suite struct UnsavedDeletionTests {
  private let folder: TemporaryFolder
  private let context: NSManagedObjectContext

  /// A.items leads to many B, which go with it.
  init() throws {
    folder = try TemporaryFolder()
    let items = SmallModel.relationship("items", many: true, rule: .cascadeDeleteRule)
    let b = SmallModel.entity("B", [SmallModel.text("name")])
    items.destinationEntity = b
    let a = SmallModel.entity("A", [SmallModel.text("name"), items])
    let coordinator = try SmallModel.coordinator(SmallModel.model(a, b), folder.file("a.sqlite"))
    context = SmallModel.context(coordinator)
  }

  @Test func aSaveForgetsThem() throws {
    let a = SmallModel.new("A", in: context)
    context.delete(a)
    try context.save()
    #expect(a.managedObjectContext == nil)
    #expect(context.registeredObjects.isEmpty)
  }

  @Test func aSaveTakesAlongWhatGoesWithThem() throws {
    let b = SmallModel.new("B", in: context)
    try context.save()
    let a = SmallModel.new("A", in: context)
    a.addObject(b, toRelationshipNamed: "items")
    context.delete(a)
    try context.save()
    #expect(!context.hasChanges)
    #expect(try SmallModel.all("B", context).isEmpty)
  }
}
