import DataModels
import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Changes of other writers that name only members, as in history and batch results: owners with loaded members gain
/// and lose them.
@Suite struct MergedOwnerTests {
  private let folder: TemporaryFolder
  private let here: NSManagedObjectContext
  private let there: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    let staff = SmallModel.relationship("staff", many: true)
    let firm = SmallModel.relationship("firm")
    let firms = SmallModel.entity("Firm", [SmallModel.text("name"), staff])
    let people = SmallModel.entity("Person", [SmallModel.text("name"), firm])
    SmallModel.link((staff, of: firms), (firm, of: people))
    let model = SmallModel.model(firms, people)
    let url = folder.file("a.sqlite")
    // Another coordinator acts as another program.
    let options = [NSPersistentHistoryTrackingKey: true]
    here = SmallModel.context(try SmallModel.coordinator(model, url, options: options))
    there = SmallModel.context(try SmallModel.coordinator(model, url, options: options))
    let one = SmallModel.new("Firm", ["name": "one"], in: there)
    SmallModel.new("Firm", ["name": "two"], in: there)
    SmallModel.new("Person", ["name": "a", "firm": one], in: there)
    SmallModel.new("Person", ["name": "b", "firm": one], in: there)
    try there.save()
  }

  /// The other program's object for the same row.
  private func twin(_ object: NSManagedObject) throws -> NSManagedObject {
    try #require(
      try SmallModel.all(object.entity.name ?? "", there).first {
        $0.objectID.key == object.objectID.key
      })
  }

  private func token() -> NSPersistentHistoryToken? {
    there.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
  }

  private func merge(after token: NSPersistentHistoryToken?) throws {
    let result = try here.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
    let transactions =
      (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
    for transaction in try #require(transactions) {
      here.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
    }
  }

  private func staff(_ firms: [NSManagedObject]) -> [[String]] {
    firms.map { SmallModel.names($0, "staff") }
  }

  @Test func ownersGainWhatIsInserted() throws {
    let firms = try SmallModel.all("Firm", here)
    #expect(staff(firms) == [["a", "b"], []])
    let start = token()
    SmallModel.new("Person", ["name": "c", "firm": try twin(firms[1])], in: there)
    try there.save()
    try merge(after: start)
    #expect(staff(firms) == [["a", "b"], ["c"]])
    #expect(!here.hasChanges)
  }

  /// Whether the member is registered with its row, or is a fault.
  @Test(arguments: [false, true]) func ownersGainAndLoseWhatMoves(isFault: Bool) throws {
    let firms = try SmallModel.all("Firm", here)
    #expect(staff(firms) == [["a", "b"], []])
    let people = try SmallModel.all("Person", here)
    if isFault { for person in people { here.refresh(person, mergeChanges: false) } }
    let start = token()
    try twin(people[0])["firm"] = try twin(firms[1])
    try there.save()
    try merge(after: start)
    #expect(staff(firms) == [["b"], ["a"]])
    #expect((people[0]["firm"] as? NSManagedObject) === firms[1])
  }

  /// Among more members than are sought, and among fewer.
  @Test func ownersLoseManyFaults() throws {
    let rows = try SmallModel.all("Firm", there)
    for name in ["c", "d", "e", "f"] {
      SmallModel.new("Person", ["name": name, "firm": rows[0]], in: there)
    }
    let third = SmallModel.new("Firm", ["name": "three"], in: there)
    SmallModel.new("Person", ["name": "g", "firm": third], in: there)
    try there.save()
    let firms = try SmallModel.all("Firm", here)
    #expect(staff(firms) == [["a", "b", "c", "d", "e", "f"], [], ["g"]])
    for person in try SmallModel.all("Person", here) { here.refresh(person, mergeChanges: false) }
    let start = token()
    for person in try SmallModel.all("Person", there) {
      switch person["name"] as? String {
      case "a": person["firm"] = rows[1]
      case "b": person["name"] = "bb"
      case "g": person["firm"] = rows[0]
      default: break
      }
    }
    try there.save()
    try merge(after: start)
    #expect(staff(firms) == [["bb", "c", "d", "e", "f", "g"], ["a"], []])
    #expect(!here.hasChanges)
  }

  /// The object IDs of a batch, merged manually.
  @Test func ownersKeepTheirOwnChanges() throws {
    let firms = try SmallModel.all("Firm", here)
    #expect(staff(firms) == [["a", "b"], []])
    let own = SmallModel.new("Person", ["name": "own", "firm": firms[0]], in: here)
    let new = SmallModel.new("Person", ["name": "c", "firm": try twin(firms[0])], in: there)
    try there.save()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSInsertedObjectIDsKey: [new.objectID.uriRepresentation()]],
      into: [here])
    #expect(staff(firms) == [["a", "b", "c", "own"], []])
    #expect(own.isInserted)
    try here.save()
  }

  /// A deletion that is merged before the changes of the members.
  @Test func ownersThatAreGoneStayGone() throws {
    let firms = try SmallModel.all("Firm", here)
    #expect(staff(firms) == [["a", "b"], []])
    let people = try SmallModel.all("Person", here)
    there.delete(try twin(firms[0]))
    try there.save()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectIDsKey: [firms[0].objectID]], into: [here])
    #expect(firms[0].isDeleted)
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectIDsKey: people.map(\.objectID)], into: [here])
    #expect(firms[0].isDeleted)
    #expect(people.allSatisfy { $0["firm"] == nil })
  }
}
