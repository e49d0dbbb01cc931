import Foundation
import MomKit
import MomKitPostgreSQL
import Testing

/// Batches, dictionaries, history and remote changes.
@Suite(.enabled(if: TestServer.isThere)) struct RequestTests {
  /// Checks that PostgreSQL and SQLite give the same result.
  private func both<Result: Equatable>(
    _ body: (TestContexts) throws -> Result
  ) throws -> Result {
    let expected = try body(TestContexts(NSSQLiteStoreType, TestModel.shop()))
    let found = try body(TestContexts(NSPostgreSQLStoreType, TestModel.shop()))
    #expect(found == expected)
    return found
  }

  private func fill(_ context: NSManagedObjectContext) throws {
    let people = (0..<4).map {
      context.insert("Person", ["name": "p\($0)", "small": $0, "height": Double($0) / 2])
    }
    for number in 0..<40 {
      let order = context.insert(
        "Order",
        [
          "number": number, "note": number % 5 == 0 ? nil : "n\(number % 3)",
          "total": NSDecimalNumber(value: number),
        ])
      order.setValue(people[number % 4], forKey: "customer")
    }
    try context.save()
  }

  @Test func dictionariesAreGroupedAndSummed() throws {
    let found = try both { contexts -> [String] in
      try fill(contexts.context())
      func expression(_ name: String, _ format: String, _ type: NSAttributeType)
        -> NSExpressionDescription
      {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = NSExpression(format: format)
        description.expressionResultType = type
        return description
      }
      let context = try contexts.context()
      var lines: [String] = []
      func add(_ request: NSFetchRequest<NSDictionary>) throws {
        for dictionary in try context.fetch(request) {
          let keys = dictionary.allKeys.compactMap { $0 as? String }.sorted()
          lines.append(keys.map { "\($0)=\(dictionary[$0] ?? "")" }.joined(separator: " "))
        }
      }
      let request = NSFetchRequest<NSDictionary>(entityName: "Order")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = [
        "note", expression("count", "count:(number)", .integer64AttributeType),
        expression("sum", "sum:(number)", .integer64AttributeType),
        expression("total", "sum:(total)", .decimalAttributeType),
        expression("average", "average:(number)", .doubleAttributeType),
        expression("least", "min:(number)", .integer64AttributeType),
      ]
      request.propertiesToGroupBy = ["note"]
      request.havingPredicate = NSPredicate(format: "count > 5")
      request.sortDescriptors = [NSSortDescriptor(key: "note", ascending: true)]
      try add(request)
      let distinct = NSFetchRequest<NSDictionary>(entityName: "Order")
      distinct.resultType = .dictionaryResultType
      distinct.propertiesToFetch = ["customer.name", "note"]
      distinct.returnsDistinctResults = true
      distinct.predicate = NSPredicate(format: "note != nil AND number > 3")
      distinct.sortDescriptors = [
        NSSortDescriptor(key: "customer.name", ascending: true),
        NSSortDescriptor(key: "note", ascending: false),
      ]
      try add(distinct)
      return lines
    }
    #expect(found.count == 16)
  }

  @Test func batchesInsertUpdateAndDelete() throws {
    let counts = try both { contexts -> [Int] in
      let context = try contexts.context()
      try fill(context)
      let insert = NSBatchInsertRequest(
        entityName: "Order", objects: (100..<3200).map { ["number": $0, "note": "batch"] })
      insert.resultType = .count
      var counts = [try (context.execute(insert) as? NSBatchInsertResult)?.result as? Int ?? -1]
      let update = NSBatchUpdateRequest(entityName: "Order")
      update.predicate = NSPredicate(format: "note == 'batch' AND number < 200")
      update.propertiesToUpdate = [
        "number": NSExpression(format: "number + 100000"), "note": "moved",
      ]
      update.resultType = .updatedObjectsCountResultType
      counts.append(try (context.execute(update) as? NSBatchUpdateResult)?.result as? Int ?? -1)
      let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Person")
      fetch.predicate = NSPredicate(format: "name CONTAINS[c] 'P1' OR name == 'p2'")
      let delete = NSBatchDeleteRequest(fetchRequest: fetch)
      delete.resultType = .resultTypeCount
      counts.append(try (context.execute(delete) as? NSBatchDeleteResult)?.result as? Int ?? -1)
      let reader = try contexts.context()
      for format in ["number > 100000", "note == 'moved'", "note == 'batch'", "customer != nil"] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Order")
        request.predicate = NSPredicate(format: format)
        counts.append(try reader.count(for: request))
      }
      return counts
    }
    #expect(counts == [3100, 100, 2, 100, 100, 3000, 20])
  }

  /// More rows than one statement writes, of an entity with a parent, with missing values.
  @Test func largeBatchesAreInsertedWhole() throws {
    let lines = try both { contexts -> [String] in
      let context = try contexts.context()
      let count = 4_500
      let insert = NSBatchInsertRequest(
        entityName: "Person",
        objects: (0..<count).map { row in
          var values: [String: Any] = ["name": "N\(row) \\ é\t'"]
          if row % 3 != 0 { values["height"] = Double(row) / 8 }
          if row % 2 == 0 { values["birth"] = Date(timeIntervalSinceReferenceDate: Double(row)) }
          return values
        })
      insert.resultType = .objectIDs
      let result = try context.execute(insert) as? NSBatchInsertResult
      let ids = result?.result as? [NSManagedObjectID] ?? []
      let reader = context
      let found = try ids.map { id in
        let person = try reader.existingObject(with: id)
        let values = ["name", "height", "birth"].map { person.value(forKey: $0) ?? "nil" }
        return "\(person.entity.name ?? "") \(values)"
      }
      return [String(Set(found).count)] + found
    }
    #expect(lines.first == "4500")
  }

  @Test func batchInsertsFollowTheirPolicies() throws {
    _ = try both { contexts -> [String] in
      let context = try contexts.context()
      try fill(context)
      var lines: [String] = []
      for policy in [
        NSMergePolicy.error, NSMergePolicy.mergeByPropertyStoreTrump,
        NSMergePolicy.mergeByPropertyObjectTrump,
        NSMergePolicy.overwrite,
      ] {
        context.mergePolicy = policy
        let request = NSBatchInsertRequest(
          entityName: "Order",
          objects: [
            ["number": 3, "note": "again"], ["number": 1000, "note": "new"],
            ["number": 1000, "note": "twice"],
          ])
        do {
          try context.execute(request)
          lines.append("done")
        } catch { lines.append("error \((error as NSError).code)") }
        for order in try contexts.context().all(
          "Order", NSPredicate(format: "number IN {3, 1000}"), sortedBy: "number")
        {
          lines.append(
            "\(order.value(forKey: "note") ?? "nil") \(order.value(forKey: "total") ?? "nil")")
        }
      }
      return lines
    }
  }

  @Test func historyIsReadByTokensAndPruned() throws {
    let lines = try both { contexts -> [String] in
      let options: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
      let context = try contexts.context(options)
      context.transactionAuthor = "me"
      let person = context.insert("Person", ["name": "a"])
      _ = context.insert("Order", ["number": 1])
      try context.save()
      let coordinator = try #require(context.persistentStoreCoordinator)
      let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
      person.setValue("b", forKey: "name")
      try context.save()
      context.delete(person)
      try context.save()
      let update = NSBatchUpdateRequest(entityName: "Order")
      update.propertiesToUpdate = ["note": "x"]
      try context.execute(update)
      let reader = try contexts.context(options)
      func history(_ request: NSPersistentHistoryChangeRequest) throws -> [String] {
        let result = try reader.execute(request) as? NSPersistentHistoryResult
        let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
        return transactions.flatMap { transaction in
          (transaction.changes ?? []).map { change in
            let names = change.updatedProperties?.map(\.name).sorted().joined(separator: ",") ?? ""
            return "\(transaction.transactionNumber) \(transaction.author ?? "") "
              + "\(change.changedObjectID.entity.name ?? "") \(change.changeType) \(names)"
          }.sorted()
        }
      }
      var lines = try history(.fetchHistory(after: nil as NSPersistentHistoryToken?))
      lines.append("after the token")
      lines += try history(.fetchHistory(after: token))
      let prune = NSPersistentHistoryChangeRequest.deleteHistory(
        before: coordinator.currentPersistentHistoryToken(fromStores: nil))
      try context.execute(prune)
      lines += try history(.fetchHistory(after: nil as NSPersistentHistoryToken?))
      do { lines += try history(.fetchHistory(after: token)) } catch {
        lines.append("error \((error as NSError).code)")
      }
      return lines
    }
    #expect(lines.count == 11)
  }

  @Test(arguments: ["objects just saved", "objects read again", "a batch"])
  func deletedObjectsLeaveWhatTheyLeaveInSQLite(_ deleting: String) throws {
    let options: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
    let left = try [NSSQLiteStoreType, NSPostgreSQLStoreType].map { type -> [String: String] in
      let model = TestModel.shop()
      for attribute in (model.entitiesByName["Person"]?.attributesByName ?? [:]).values {
        attribute.preservesValueInHistoryOnDeletion = true
      }
      let contexts = try TestContexts(type, model)
      let context = try contexts.context(options)
      let person = context.insert(
        "Person",
        [
          "name": "ä\u{1F600}", "birth": Date(timeIntervalSinceReferenceDate: 17.25),
          "height": 1.5, "id": UUID(uuidString: "00000000-0000-0000-0000-000000000007"),
          "extra": ["size": 3] as NSDictionary, "address": ["street": "x", "number": 2],
        ])
      try context.save()
      let other = try contexts.context(options)
      switch deleting {
      case "objects just saved":
        context.delete(person)
        try context.save()
      case "objects read again":
        try other.all("Person").forEach(other.delete)
        try other.save()
      default:
        try other.execute(
          NSBatchDeleteRequest(
            fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Person")))
      }
      let result =
        try other.execute(
          NSPersistentHistoryChangeRequest.fetchHistory(
            after: nil as NSPersistentHistoryToken?)) as? NSPersistentHistoryResult
      let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
      let tombstone = transactions.flatMap { $0.changes ?? [] }.compactMap(\.tombstone).first
      return Dictionary(
        uniqueKeysWithValues: (tombstone ?? [:]).map { key, value in
          ("\(key)", Self.text(value))
        })
    }
    #expect(left[1] == left[0])
    #expect(left[1]["extra"] == "{size: 3}")
  }

  private static func text(_ value: Any) -> String {
    switch value {
    case let values as NSDictionary:
      let entries = values.map { "\($0.key): \(text($0.value))" }
      return "{\(entries.sorted().joined(separator: ", "))}"
    case let number as NSNumber: return "\(number.doubleValue)".replacing(/\.0$/, with: "")
    default: return "\(value)"
    }
  }

  @Test func othersWritesAreAnnounced() async throws {
    let contexts = try TestContexts(NSPostgreSQLStoreType, TestModel.shop())
    let listener = try contexts.context([
      NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
      NSPersistentHistoryTrackingKey: true,
    ])
    let coordinator = try #require(listener.persistentStoreCoordinator)
    let writer = try contexts.context([NSPersistentHistoryTrackingKey: true])
    let (heard, continuation) = AsyncStream<Void>.makeStream()
    let observer = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
    ) { _ in continuation.yield() }
    defer { NotificationCenter.default.removeObserver(observer) }
    _ = writer.insert("Person", ["name": "a"])
    try writer.save()
    for await _ in heard { break }
    #expect(coordinator.currentPersistentHistoryToken(fromStores: nil) != nil)
  }
}
