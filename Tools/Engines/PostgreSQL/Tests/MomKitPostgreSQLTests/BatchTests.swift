import Foundation
@_spi(Engines) import MomKit
import MomKitPostgreSQL
import Testing

/// Batches that reach other rows than those of their entity, or that call the program. They do what they do in SQLite
/// stores.
@Suite(.enabled(if: TestServer.isThere)) struct BatchTests {
  private static var options: [AnyHashable: Any] { [NSPersistentHistoryTrackingKey: true] }

  /// Checks that PostgreSQL and SQLite give the same result.
  private func both<Result: Equatable>(
    _ model: () -> NSManagedObjectModel, _ body: (TestContexts) throws -> Result
  ) throws -> Result {
    let expected = try body(TestContexts(NSSQLiteStoreType, model()))
    let found = try body(TestContexts(NSPostgreSQLStoreType, model()))
    #expect(found == expected)
    return found
  }

  /// Returns the changes in a store's history, in any order.
  private func history(
    _ context: NSManagedObjectContext, after token: NSPersistentHistoryToken?
  ) throws -> [String] {
    let result =
      try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
      as? NSPersistentHistoryResult
    let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
    return transactions.flatMap { $0.changes ?? [] }.map { change in
      let names = change.updatedProperties?.map(\.name).sorted().joined(separator: ",") ?? ""
      let id = change.changedObjectID
      return "\(id.entity.name ?? "")/\(id.key) \(change.changeType) \(names)"
    }.sorted()
  }

  // MARK: One-to-one relationships

  /// Clearing one side changes the other side's rows as well.
  @Test func historyNamesTheOtherSideOfAnUpdate() throws {
    let told = try both(TestModel.shop) { contexts -> [String] in
      let context = try contexts.context(Self.options)
      for name in ["a", "b"] {
        let person = context.insert("Person", ["name": name])
        person.setValue(context.insert("Passport", ["code": name]), forKey: "passport")
      }
      _ = context.insert("Passport", ["code": "nobody's"])
      try context.save()
      let token = context.persistentStoreCoordinator?
        .currentPersistentHistoryToken(fromStores: nil)
      let update = NSBatchUpdateRequest(entityName: "Person")
      update.propertiesToUpdate = ["passport": NSNull(), "small": 1]
      try context.execute(update)
      let free = try contexts.context(Self.options).all(
        "Passport", NSPredicate(format: "holder == nil"))
      #expect(free.count == 3)
      return try history(context, after: token).map { $0.replacing(/\/\d+/, with: "") }
    }
    #expect(told.filter { $0.hasPrefix("Passport") && $0.hasSuffix(" holder") }.count == 2)
    #expect(told.count == 4)
  }

  // MARK: Rows of subentities

  private func items() -> NSManagedObjectModel {
    let item = TestModel.entity(
      "Item", [TestModel.attribute("code"), TestModel.attribute("title")])
    item.uniquenessConstraints = [["code"]]
    let photo = TestModel.entity("Photo", [TestModel.attribute("size", .integer32AttributeType)])
    let film = TestModel.entity("Film", [TestModel.attribute("length", .integer32AttributeType)])
    item.subentities = [photo, film]
    return TestModel.model([item, photo, film])
  }

  /// A row of a subentity has all the values that the batch gives, but one of a sibling hasn't.
  @Test(arguments: [NSMergePolicy.mergeByPropertyObjectTrump, NSMergePolicy.overwrite])
  func rowsOfSubentitiesAreUpdated(policy: NSMergePolicy) throws {
    let lines = try both(items) { contexts -> [String] in
      let context = try contexts.context(Self.options)
      context.mergePolicy = policy
      _ = context.insert("Photo", ["code": "7", "title": "old", "size": 3])
      try context.save()
      let token = context.persistentStoreCoordinator?
        .currentPersistentHistoryToken(fromStores: nil)
      let request = NSBatchInsertRequest(
        entityName: "Item",
        objects: [["code": "7", "title": "new"], ["code": "7", "title": "newer"], ["code": "8"]])
      request.resultType = .objectIDs
      let result = try context.execute(request) as? NSBatchInsertResult
      let ids = result?.result as? [NSManagedObjectID] ?? []
      var lines = ids.map { "\($0.entity.name ?? "")/\($0.key)" }.sorted()
      lines += Set(try history(context, after: token)).sorted()
      let sibling = NSBatchInsertRequest(entityName: "Film", objects: [["code": "7", "length": 1]])
      do {
        try context.execute(sibling)
        lines.append("done")
      } catch { lines.append("error \((error as NSError).code)") }
      for item in try contexts.context(Self.options).all("Item", sortedBy: "code") {
        let values = ["title", "size"].map { key in
          item.entity.propertiesByName[key] == nil ? "-" : item.value(forKey: key) ?? "nil"
        }
        lines.append("\(item.entity.name ?? "") \(values)")
      }
      return lines
    }
    #expect(lines.contains("error \(NSManagedObjectConstraintMergeError)"))
    #expect(lines.contains { $0.hasPrefix("Photo") && $0.contains("newer") && $0.contains("3") })
  }

  // MARK: Predicates that the server can't compute

  /// `Item {n, factor, kind}`.
  private func measures() -> NSManagedObjectModel {
    TestModel.model([
      TestModel.entity(
        "Item",
        [
          TestModel.attribute("n", .integer64AttributeType),
          TestModel.attribute("factor", .doubleAttributeType),
          TestModel.attribute("kind", .integer64AttributeType),
        ])
    ])
  }

  /// Returns a context on a store with four rows, of which the last one's factor overflows.
  private func measured(_ contexts: TestContexts, isTracked: Bool) throws -> NSManagedObjectContext
  {
    let context = try contexts.context(isTracked ? Self.options : nil)
    let factors = [0.1, 1, 2, 1e308]
    try context.execute(
      NSBatchInsertRequest(
        entityName: "Item",
        objects: factors.enumerated().map { ["n": $0.offset, "factor": $0.element, "kind": 0] }))
    return context
  }

  /// They are evaluated in memory, and the batch's transaction goes on.
  @Test(arguments: ["update", "delete"], [false, true])
  func predicatesThatOverflowChooseRows(kind: String, isTracked: Bool) throws {
    let lines = try both(measures) { contexts -> [String] in
      let context = try measured(contexts, isTracked: isTracked)
      let predicate = NSPredicate(format: "factor * 10 > 5")
      var lines: [String] = []
      if kind == "update" {
        let request = NSBatchUpdateRequest(entityName: "Item")
        (request.predicate, request.propertiesToUpdate) = (predicate, ["kind": 1])
        request.resultType = .updatedObjectsCountResultType
        lines.append("\((try context.execute(request) as? NSBatchUpdateResult)?.result ?? "nil")")
      } else {
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Item")
        fetch.predicate = predicate
        let request = NSBatchDeleteRequest(fetchRequest: fetch)
        request.resultType = .resultTypeCount
        lines.append("\((try context.execute(request) as? NSBatchDeleteResult)?.result ?? "nil")")
      }
      return try lines
        + contexts.context(isTracked ? Self.options : nil).all("Item", sortedBy: "n").map {
          "\($0.value(forKey: "n") ?? "nil") \($0.value(forKey: "kind") ?? "nil")"
        }
    }
    #expect(lines == (kind == "update" ? ["3", "0 0", "1 1", "2 1", "3 1"] : ["3", "0 0"]))
  }

  /// A program that asks for them in the midst of a batch gets the answer, and the batch goes on.
  @Test func predicatesThatOverflowAreAskedInAHandler() throws {
    let lines = try both(measures) { contexts -> [String] in
      let context = try measured(contexts, isTracked: false)
      let other = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
      other.persistentStoreCoordinator = context.persistentStoreCoordinator
      func answers() throws -> [Int] {
        let plain = NSFetchRequest<NSManagedObject>(entityName: "Item")
        plain.predicate = NSPredicate(format: "factor * 10 > 5")
        let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Item")
        dictionaries.resultType = .dictionaryResultType
        dictionaries.propertiesToFetch = ["n"]
        dictionaries.predicate = plain.predicate
        return [
          try other.fetch(plain).count, try other.count(for: plain),
          try other.fetch(dictionaries).count,
        ]
      }
      var (number, lines) = (0, [String]())
      let request = NSBatchInsertRequest(
        entityName: "Item",
        dictionaryHandler: { row in
          number += 1
          row["n"] = 10 + number
          row["factor"] = 0.0
          if number == 2 {
            do { lines.append("\(try answers())") } catch { lines.append("\(error)") }
          }
          return number > 3
        })
      try context.execute(request)
      return try lines + ["\(contexts.context().all("Item").count)"]
    }
    #expect(lines == ["[3, 3, 3]", "7"])
  }

  // MARK: Handlers

  /// What is written inside of a batch would wait for it, or share its fate: it is refused, and the batch goes on.
  @Test(arguments: ["insert", "update", "delete", "save", "history"])
  func nothingIsWrittenInAHandler(kind: String) throws {
    let lines = try both(TestModel.shop) { contexts -> [String] in
      let context = try contexts.context(Self.options)
      _ = context.insert("Tag", ["title": "old"])
      try context.save()
      let other = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
      other.persistentStoreCoordinator = context.persistentStoreCoordinator
      func write() throws {
        switch kind {
        case "insert":
          try other.execute(NSBatchInsertRequest(entityName: "Tag", objects: [["title": "in"]]))
        case "update":
          let update = NSBatchUpdateRequest(entityName: "Tag")
          update.propertiesToUpdate = ["title": "changed"]
          try other.execute(update)
        case "delete":
          let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")
          try other.execute(NSBatchDeleteRequest(fetchRequest: fetch))
        case "save":
          _ = other.insert("Tag", ["title": "saved"])
          try other.save()
        default:
          let token = context.persistentStoreCoordinator?
            .currentPersistentHistoryToken(fromStores: nil)
          try other.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: token))
        }
      }
      var (number, lines) = (0, [String]())
      let request = NSBatchInsertRequest(
        entityName: "Tag",
        dictionaryHandler: { row in
          number += 1
          row["title"] = "\(number)"
          if number == 2 {
            do {
              try write()
              lines.append("written")
            } catch { lines.append("error \((error as NSError).code)") }
          }
          return number > 4
        })
      request.resultType = .count
      lines.append("\((try context.execute(request) as? NSBatchInsertResult)?.result ?? "nil")")
      other.reset()
      lines += try contexts.context(Self.options).all("Tag", sortedBy: "title").map {
        $0.value(forKey: "title") as? String ?? "nil"
      }
      // The next one is none of the batch's.
      try write()
      return lines
    }
    #expect(lines == ["error \(NSPersistentStoreSaveError)", "4", "1", "2", "3", "4", "old"])
  }
}
