import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Changes that wait for a busy loop are merged.
@Suite struct SummedChangesTests {
  /// A deletion that is taken back and made again is one.
  @Test func aDeletionThatComesAgainIsTold() async throws {
    let context = SmallModel.context(
      try TestStore.coordinator(SmallModel.model(SmallModel.entity("A", [SmallModel.text("name")])))
    )
    let object = SmallModel.new("A", in: context)
    try context.save()
    let id = object.objectID
    var told = ManagedObjectChanges()
    func sum(_ steps: [WritableKeyPath<ManagedObjectChanges, Set<NSManagedObjectID>>]) {
      told = ManagedObjectChanges()
      for step in steps {
        var changes = ManagedObjectChanges()
        changes[keyPath: step] = [id]
        told.add(changes)
      }
    }
    sum([\.deleted, \.inserted])
    #expect(told.inserted.isEmpty && told.deleted.isEmpty && told.refreshed == [id])
    sum([\.deleted, \.inserted, \.deleted])
    #expect(told.inserted.isEmpty && told.deleted == [id])
    sum([\.inserted, \.deleted])
    #expect(told.inserted.isEmpty && told.deleted.isEmpty)
    sum([\.updated, \.deleted])
    #expect(told.updated.isEmpty && told.deleted == [id])
  }
}
