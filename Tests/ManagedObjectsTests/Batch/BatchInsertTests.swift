import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Batch insertion.
@Suite struct BatchInsertTests {
  private let folder: TemporaryFolder
  private let store: URL
  private let context: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    store = folder.file("store.sqlite")
    context = TestStore.context(try Library.coordinator(store, history: true))
    context.transactionAuthor = "importer"
  }

  private func run(_ request: NSBatchInsertRequest) throws -> Any? {
    try (context.execute(request) as? NSBatchInsertResult)?.result
  }

  @Test func dictionariesBecomeRowsWithDefaults() throws {
    let code = UUID()
    let request = NSBatchInsertRequest(
      entityName: "Author",
      objects: [
        ["name": "Ada", "rank": 3, "score": 1.5, "code": code, "nonsense": 1],
        ["name": "Bob", "born": Date(timeIntervalSinceReferenceDate: 5), "isActive": false],
      ])
    request.resultType = .objectIDs
    let ids = try #require(try run(request) as? [NSManagedObjectID])
    #expect(ids.count == 2)
    let ada = context.object(with: ids[0])
    #expect(ada["name"] as? String == "Ada")
    #expect(ada["rank"] as? Int == 3)
    #expect(ada["isActive"] as? Bool == true)
    #expect(ada["code"] as? UUID == code)
    let bob = context.object(with: ids[1])
    #expect(bob["rank"] as? Int == 1)
    #expect(bob["isActive"] as? Bool == false)
    #expect(bob["born"] as? Date == Date(timeIntervalSinceReferenceDate: 5))
    #expect(bob["note"] == nil)
    #expect(try StoreChecker(store, model: Library.model()).findings().isEmpty)
    // The next object gets the next key: no key was wasted.
    let next = Library.new("Author", ["name": "Cid"], in: context)
    try context.save()
    #expect(next.objectID.key == 3)
  }

  @Test func handlersGiveRowsUntilTheyAreDone() throws {
    var count = 0
    let request = NSBatchInsertRequest(
      entityName: "Book",
      dictionaryHandler: { row in
        guard count < 1000 else { return true }
        row["title"] = "Book \(count)"
        row["pages"] = count
        count += 1
        return false
      })
    request.resultType = .count
    #expect(try run(request) as? Int == 1000)
    var made = 0
    let objects = NSBatchInsertRequest(
      entityName: "Novel",
      managedObjectHandler: { object in
        guard made < 10 else { return true }
        object.setValue("Novel \(made)", forKey: "title")
        object.setValue("crime", forKey: "genre")
        made += 1
        return false
      })
    #expect(try run(objects) as? Bool == true)
    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 1010)
    let novels = try Library.all("Novel", "genre == 'crime'", in: context)
    #expect(novels.count == 10)
    #expect(try StoreChecker(store, model: Library.model()).findings().isEmpty)
  }

  @Test func aMissingMandatoryValueInsertsNothing() throws {
    let request = NSBatchInsertRequest(
      entityName: "Author", objects: [["name": "Ada"], ["rank": 2]])
    let error = #expect(throws: NSError.self) { try run(request) }
    #expect(error?.code == NSValidationMissingMandatoryPropertyError)
    #expect(try Library.all("Author", in: context).isEmpty)
  }

  @Test func aValueOfAWrongTypeInsertsNothing() throws {
    let request = NSBatchInsertRequest(
      entityName: "Author", objects: [["name": "Ada"], ["name": "Bob", "born": "yesterday"]])
    #expect(throws: NSError.self) { try run(request) }
    #expect(try Library.all("Author", in: context).isEmpty)
  }

  @Test(arguments: [
    NSMergePolicyType.errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
    .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
    .rollbackMergePolicyType,
  ])
  func uniqueValuesFollowTheMergePolicy(_ type: NSMergePolicyType) throws {
    let house = Library.new("Publisher", ["name": "House"], in: context)
    let old = Library.new(
      "Author", ["name": "Ada", "rank": 7, "note": "old", "publisher": house], in: context)
    try context.save()
    let id = old.objectID
    context.reset()
    context.mergePolicy = NSMergePolicy(merge: type)
    let request = NSBatchInsertRequest(
      entityName: "Author",
      objects: [["name": "Ada", "score": 2.5], ["name": "Bob"], ["name": "Bob", "rank": 9]])
    request.resultType = .objectIDs
    guard type != .errorMergePolicyType else {
      let error = #expect(throws: NSError.self) { try run(request) }
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      #expect(try Library.all("Author", in: context).count == 1)
      return
    }
    let ids = try #require(try run(request) as? [NSManagedObjectID])
    let authors = try Library.all("Author", in: context)
    #expect(Set(authors.map { $0["name"] as? String }) == ["Ada", "Bob"])
    #expect(authors.count == 2)
    let ada = context.object(with: id)
    let bob = try #require(authors.first { $0["name"] as? String == "Bob" })
    #expect((ada["publisher"] as? NSManagedObject)?["name"] as? String == "House")
    switch type {
    case .mergeByPropertyObjectTrumpMergePolicyType:
      #expect(ids == [bob.objectID, id])
      #expect(ada["score"] as? Double == 2.5)
      #expect(ada["rank"] as? Int == 7)
      #expect(ada["note"] as? String == "old")
      #expect(bob["rank"] as? Int == 9)
      #expect(ada.version == 2)
    case .overwriteMergePolicyType:
      #expect(ada["score"] as? Double == 2.5)
      #expect(ada["rank"] as? Int == 1)
      #expect(ada["note"] == nil)
      #expect(bob["rank"] as? Int == 9)
    default:
      #expect(ids == [bob.objectID])
      #expect(ada["score"] == nil)
      #expect(ada["rank"] as? Int == 7)
      #expect(bob["rank"] as? Int == 1)
      #expect(ada.version == 1)
    }
    #expect(try StoreChecker(store, model: Library.model()).findings().isEmpty)
  }

  @Test func historyRemembersTheBatch() throws {
    _ = try run(NSBatchInsertRequest(entityName: "Author", objects: [["name": "Ada"]]))
    let result =
      try context.execute(
        NSPersistentHistoryChangeRequest.fetchHistory(
          after: nil as NSPersistentHistoryToken?)) as? NSPersistentHistoryResult
    let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
    #expect(transactions.map(\.author) == ["importer"])
    #expect(transactions.first?.changes?.map(\.changeType) == [.insert])
  }

  @Test func aFailedBatchLeavesNoFiles() throws {
    let large = Data(repeating: 7, count: 200_000)
    let request = NSBatchInsertRequest(
      entityName: "Author", objects: [["name": "Ada", "photo": large], ["rank": 1]])
    #expect(throws: NSError.self) { try run(request) }
    let files = folder.file(".store_SUPPORT/_EXTERNAL_DATA")
    #expect((try? FileManager.default.contentsOfDirectory(atPath: files.path))?.isEmpty ?? true)
    _ = try run(
      NSBatchInsertRequest(entityName: "Author", objects: [["name": "Ada", "photo": large]]))
    #expect(try Library.all("Author", in: context).first?["photo"] as? Data == large)
  }

  @Test func aStoreInMemoryRefuses() throws {
    let coordinator = try TestStore.coordinator(Library.model())
    let error = #expect(throws: NSError.self) {
      try TestStore.context(coordinator).execute(
        NSBatchInsertRequest(entityName: "Tag", objects: [["name": "x"]]))
    }
    #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
  }

  /// A row of a subentity has all the values that the batch gives.
  @Test func rowsOfSubentitiesAreUpdated() throws {
    let item = SmallModel.entity(
      "Item", [SmallModel.text("code"), SmallModel.text("title")], unique: [["code"]])
    let photo = SmallModel.entity("Photo", [SmallModel.number("size")])
    let film = SmallModel.entity("Film", [SmallModel.number("length")])
    item.subentities = [photo, film]
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(item, photo, film), folder.file("items.sqlite"),
      options: [NSPersistentHistoryTrackingKey: true])
    let context = SmallModel.context(coordinator, .mergeByPropertyObjectTrumpMergePolicyType)
    let old = SmallModel.new("Photo", ["code": "7", "title": "old", "size": 3], in: context)
    try context.save()
    let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
    let request = NSBatchInsertRequest(
      entityName: "Item",
      objects: [["code": "7", "title": "new"], ["code": "7", "title": "newer"], ["code": "8"]])
    request.resultType = .objectIDs
    let result = try context.execute(request) as? NSBatchInsertResult
    let ids = try #require(result?.result as? [NSManagedObjectID])
    #expect(Set(ids.map { $0.entity.name }) == ["Photo", "Item"])
    #expect(ids.contains(old.objectID))
    context.refreshAllObjects()
    #expect(old["title"] as? String == "newer")
    #expect(old["size"] as? Int == 3)
    let history =
      try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
      as? NSPersistentHistoryResult
    let changes =
      (history?.result as? [NSPersistentHistoryTransaction])?.flatMap { $0.changes ?? [] } ?? []
    #expect(
      changes.filter { $0.changedObjectID == old.objectID }.allSatisfy {
        $0.changeType == .update && $0.updatedProperties?.map(\.name).sorted() == ["code", "title"]
      })
    // Those of a sibling don't.
    let sibling = NSBatchInsertRequest(entityName: "Film", objects: [["code": "7", "length": 1]])
    #expect(throws: NSError.self) { try context.execute(sibling) }
  }

  /// So would what another batch request writes there, and keys that are given.
  @Test func aBatchInAHandlerIsRefused() throws {
    var (number, codes) = (0, [Int]())
    func note(_ body: () throws -> Void) {
      do { try body() } catch let error as NSError { codes.append(error.code) }
    }
    let other = TestStore.context(context.persistentStoreCoordinator)
    let tag = Library.new("Tag", ["name": "new"], in: other)
    let request = NSBatchInsertRequest(
      entityName: "Author",
      dictionaryHandler: { row in
        number += 1
        row["name"] = "\(number)"
        if number == 2 {
          note {
            _ = try other.execute(
              NSBatchInsertRequest(entityName: "Author", objects: [["name": "x"], ["rank": 1]]))
          }
          note { try other.obtainPermanentIDs(for: [tag]) }
        }
        return number > 3
      })
    request.resultType = .count
    #expect(try run(request) as? Int == 3)
    #expect(codes == [NSPersistentStoreSaveError, NSPersistentStoreSaveError])
    #expect(try Library.all("Author", "name == 'x'", in: context).isEmpty)
    try other.save()
  }

  /// What is saved inside of a batch would share its fate: it is refused, and the batch goes on.
  @Test func aSaveInAHandlerIsRefused() throws {
    let other = TestStore.context(context.persistentStoreCoordinator)
    _ = Library.new("Tag", ["name": "progress"], in: other)
    var number = 0
    var code = 0
    let request = NSBatchInsertRequest(
      entityName: "Author",
      dictionaryHandler: { row in
        number += 1
        row["name"] = "\(number)"
        if number == 5 {
          do { try other.save() } catch let error as NSError { code = error.code }
        }
        return number > 10
      })
    request.resultType = .count
    #expect(try run(request) as? Int == 10)
    #expect(code == NSPersistentStoreSaveError)
    #expect(try Library.all("Author", in: context).count == 10)
    try other.save()
    #expect(try Library.all("Tag", in: context).count == 1)
  }
}
