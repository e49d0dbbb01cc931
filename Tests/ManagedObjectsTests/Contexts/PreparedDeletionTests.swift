import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// What objects do before they are deleted.
@Suite struct PreparedDeletionTests {
  private func pair() throws -> (NSManagedObjectContext, Half, Half) {
    let other = SmallModel.relationship("other")
    let half = SmallModel.entity("Half", [SmallModel.text("name"), other])
    SmallModel.link((other, of: half), (other, of: half))
    half.managedObjectClassName = ManagedObjects.NSStringFromClass(Half.self)
    let context = TestStore.context(try TestStore.coordinator(SmallModel.model(half)))
    let first = try #require(SmallModel.new("Half", in: context) as? Half)
    let second = try #require(SmallModel.new("Half", ["other": first], in: context) as? Half)
    try context.save()
    return (context, first, second)
  }

  /// Objects that delete each other are both deleted, each prepared once.
  @Test func objectsDeleteEachOther() throws {
    let (context, first, second) = try pair()
    context.delete(first)
    #expect(first.isDeleted && second.isDeleted)
    #expect(first.count == 1 && second.count == 1)
    try context.save()
    #expect(try SmallModel.all("Half", context).isEmpty)
  }

  /// Deleting a deleted object again does nothing, in this event and after it.
  @Test func aDeletionIsPreparedOnce() throws {
    let (context, first, second) = try pair()
    context.delete(first)
    context.delete(first)
    context.processPendingChanges()
    context.delete(second)
    #expect(first.count == 1 && second.count == 1)
    context.rollback()
    context.delete(first)
    #expect(first.count == 2 && second.count == 2)
  }
}

private final class Half: NSManagedObject {
  var count = 0

  override func prepareForDeletion() {
    count += 1
    guard let other = value(forKey: "other") as? NSManagedObject, !other.isDeleted else { return }
    managedObjectContext?.delete(other)
  }
}
