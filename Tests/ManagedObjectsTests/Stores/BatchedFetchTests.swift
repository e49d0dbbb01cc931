import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Fetches whose rows are loaded when they are used.
@Suite struct BatchedFetchTests {
  private func notes(_ count: Int, _ url: URL) throws -> NSManagedObjectContext {
    let entity = entity(
      "Note",
      [
        attribute("number", .integer32AttributeType),
        attribute("text", .stringAttributeType),
      ])
    let model = NSManagedObjectModel(of: [entity])
    let coordinator = try TestStore.coordinator(model, at: url)
    let context = TestStore.context(coordinator)
    for number in 0..<count {
      let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      (note["number"], note["text"]) = (number, "note \(number)")
    }
    try context.save()
    context.reset()
    return context
  }

  private func request() -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
    return request
  }

  private func isAtHand(_ object: NSManagedObject) -> Bool {
    !object.isFault || object.state.contains(.rowAtHand)
  }

  @Test func aBatchComesWithItsFirstObject() throws {
    let folder = try TemporaryFolder()
    let context = try notes(25, folder.file("Notes.sqlite"))
    let request = request()
    request.fetchBatchSize = 10
    let found = try context.fetch(request)
    #expect(found.count == 25)
    #expect(!found.contains(where: isAtHand))
    #expect(found[12]["number"] as? Int == 12)
    #expect(found.map(isAtHand) == (0..<25).map { (10..<20).contains($0) })
    #expect(found[24]["text"] as? String == "note 0")
    #expect(found.map(isAtHand) == (0..<25).map { $0 >= 10 })
    #expect(found.compactMap { $0["number"] as? Int } == (0..<25).reversed())
    #expect(context.lazyFetches.isEmpty)
    // An object that is refreshed after its batch was loaded is loaded individually.
    context.refresh(found[3], mergeChanges: false)
    #expect(found[3]["number"] as? Int == 21)
  }

  @Test func aRowThatIsGoneIsNotFoundInItsBatch() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    let context = try notes(4, url)
    let request = request()
    request.fetchBatchSize = 2
    let found = try context.fetch(request)
    let other = try SQLiteConnection(writing: url, creation: .existing)
    try other.execute("DELETE FROM ZNOTE WHERE ZNUMBER = 3")
    #expect(found[1]["number"] as? Int == 2)
    #expect(found[0]["number"] == nil)
    #expect(found[0].isDeleted)
  }

  @Test func withoutPropertyValuesEveryRowComesByItself() throws {
    let folder = try TemporaryFolder()
    let context = try notes(5, folder.file("Notes.sqlite"))
    let request = request()
    request.includesPropertyValues = false
    let found = try context.fetch(request)
    #expect(!found.contains(where: isAtHand))
    #expect(found[1]["number"] as? Int == 3)
    #expect(found.map(isAtHand) == [false, true, false, false, false])
  }

  @Test func predicatesThatNeedMemoryStillWork() throws {
    let folder = try TemporaryFolder()
    let context = try notes(12, folder.file("Notes.sqlite"))
    let request = request()
    request.fetchBatchSize = 3
    request.predicate = NSPredicate { object, _ in
      ((object as? NSManagedObject)?["number"] as? Int ?? 0) % 2 == 0
    }
    #expect(try context.fetch(request).map { $0["number"] as? Int } == [10, 8, 6, 4, 2, 0])
  }
}
