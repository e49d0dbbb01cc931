import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Transformable values that child contexts have changed.
@Suite struct TransformableChildTests {
  private static func model() -> NSManagedObjectModel {
    let entity = entity("Sketch")
    entity.properties = [attribute("tags", .transformableAttributeType)]
    return NSManagedObjectModel(of: [entity])
  }

  /// The child has replaced a value that nobody had read in the parent.
  @Test(arguments: [nil, ["b"]]) func anEqualValueAfterAChildsIsNoChange(tags: [String]?) throws {
    let folder = try TemporaryFolder()
    let opened = try TestStore.open(folder.file("Sketches.sqlite"), Self.model())
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = opened.persistentStoreCoordinator
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = context
    try context.performAndWait {
      let sketch = NSEntityDescription.insertNewObject(forEntityName: "Sketch", into: context)
      sketch.setValue(["a"], forKey: "tags")
      try context.save()
      context.refresh(sketch, mergeChanges: false)
      try child.performAndWait {
        let copy = try child.existingObject(with: sketch.objectID)
        copy.setValue(tags, forKey: "tags")
        try child.save()
        #expect(sketch.hasPersistentChangedValues)
        if tags != nil {
          copy.setValue(["a"], forKey: "tags")
          try child.save()
        }
      }
      if tags == nil { sketch.setValue(["a"], forKey: "tags") }
      #expect(!sketch.hasPersistentChangedValues)
    }
  }
}
