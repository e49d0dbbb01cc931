import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Batch insertion of rows of which some are present.
@Suite struct BatchUpsertTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// `Item` with the rows "a" and "b".
  ///
  /// - Parameter isDerived: whether the table has triggers, so that rows are looked up before they are updated.
  private func context(
    isDerived: Bool, _ type: NSMergePolicyType
  ) throws -> NSManagedObjectContext {
    let (size, score) = (SmallModel.number("size"), SmallModel.number("score"))
    size.defaultValue = 1
    score.attributeType = .doubleAttributeType
    let item = SmallModel.entity(
      "Item", [SmallModel.text("code"), SmallModel.text("title"), size, score],
      unique: [["code"]])
    if isDerived {
      let derived = NSDerivedAttributeDescription()
      derived.name = "upper"
      derived.attributeType = .stringAttributeType
      derived.isOptional = true
      derived.derivationExpression = NSExpression(format: "uppercase:(title)")
      item.properties.append(derived)
    }
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(item), folder.file("items.sqlite"),
      options: [NSPersistentHistoryTrackingKey: true])
    let context = SmallModel.context(coordinator, type)
    for code in ["a", "b"] {
      SmallModel.new("Item", ["code": code, "title": "old", "size": 7, "score": 0.5], in: context)
    }
    try context.save()
    return context
  }

  private static var rows: [[String: Any]] {
    [
      ["code": "a", "title": "1"], ["code": "c", "title": "2"], ["title": "3"],
      ["code": "b", "size": 8], ["code": "b", "size": 9, "title": NSNull()],
      ["code": "c", "score": 2],
      ["title": "3"], ["code": "d"], ["code": "d"], ["code": "e", "title": ""],
      ["code": "E", "title": "é"],
    ]
  }

  @Test(arguments: [false, true]) func presentRowsTakeWhatIsGiven(isDerived: Bool) throws {
    let context = try context(isDerived: isDerived, .mergeByPropertyObjectTrumpMergePolicyType)
    let token = context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
    let request = NSBatchInsertRequest(entityName: "Item", objects: Self.rows)
    request.resultType = .objectIDs
    let ids = try #require(
      (try context.execute(request) as? NSBatchInsertResult)?.result as? [NSManagedObjectID])
    // The new ones, then the present ones, each once.
    #expect(ids.map(\.key) == [3, 4, 5, 6, 7, 8, 1, 2])
    context.reset()
    let rows = try SmallModel.all("Item", context).sorted { $0.objectID.key < $1.objectID.key }
    let texts = rows.map { row in
      let values = ["code", "title", "size", "score"].map { key in
        row.value(forKey: key).map { "\($0)" } ?? "-"
      }
      return "\(values.joined(separator: " ")) \(row.version)"
    }
    #expect(
      texts == [
        "a 1 7 0.5 2", "b - 9 0.5 3", "c 2 1 2.0 2", "- 3 1 - 1", "- 3 1 - 1", "d - 1 - 2",
        "e  1 - 1", "E é 1 - 1",
      ])
    if isDerived { #expect(rows[0]["upper"] as? String == "1") }
    let history =
      try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
      as? NSPersistentHistoryResult
    let changes =
      (history?.result as? [NSPersistentHistoryTransaction])?.flatMap { $0.changes ?? [] } ?? []
    #expect(changes.filter { $0.changeType == .insert }.map(\.changedObjectID.key).count == 6)
    let updates = changes.filter { $0.changeType == .update }.map { change in
      "\(change.changedObjectID.key) "
        + (change.updatedProperties?.map(\.name).sorted().joined(separator: " ") ?? "")
    }
    #expect(updates == ["1 code title", "2 code size", "2 code size title"])
  }

  @Test(arguments: [false, true]) func presentRowsAreOverwritten(isDerived: Bool) throws {
    let context = try context(isDerived: isDerived, .overwriteMergePolicyType)
    let request = NSBatchInsertRequest(
      entityName: "Item", objects: [["code": "a", "title": "new"], ["code": "c"]])
    request.resultType = .count
    #expect((try context.execute(request) as? NSBatchInsertResult)?.result as? Int == 2)
    context.reset()
    let row = try #require(
      try SmallModel.all("Item", context).first { $0["code"] as? String == "a" })
    #expect(row["title"] as? String == "new")
    #expect(row["size"] as? Int == 1)
    #expect(row["score"] == nil)
    #expect(row.version == 2)
  }

  /// A handler may keep what it has filled in, and read it.
  @Test func dictionariesOfHandlersAreTheirOwn() throws {
    let context = try context(isDerived: false, .mergeByPropertyObjectTrumpMergePolicyType)
    var kept: [NSMutableDictionary] = []
    let request = NSBatchInsertRequest(
      entityName: "Item",
      dictionaryHandler: { row in
        guard kept.count < 3, row.count == 0 else { return true }
        row["code"] = "k\(kept.count)"
        row["size"] = NSNumber(value: 2.9)
        row["score"] = kept.count == 1 ? Float(0.25) as Any : kept.count
        row[NSNumber(value: 5)] = true
        row["none"] = "x"
        if kept.count == 2 { row.removeObject(forKey: "size") }
        kept.append(row)
        return false
      })
    request.resultType = .count
    #expect((try context.execute(request) as? NSBatchInsertResult)?.result as? Int == 3)
    #expect(kept.map { $0["code"] as? String } == ["k0", "k1", "k2"])
    let rows = try SmallModel.all("Item", context).filter { $0.objectID.key > 2 }
      .sorted { $0.objectID.key < $1.objectID.key }
    #expect(rows.map { $0["size"] as? Int } == [2, 2, 1])
    #expect(rows.map { $0["score"] as? Double } == [0, 0.25, 2])
  }
}
