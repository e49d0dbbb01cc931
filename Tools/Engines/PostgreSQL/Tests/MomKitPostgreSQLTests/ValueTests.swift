import Foundation
import MomKit
import MomKitPostgreSQL
import Testing

/// Values that PostgreSQL keeps, computes or refuses in another way than other databases.
@Suite(.enabled(if: TestServer.isThere)) struct ValueTests {
  /// `Item {n, small, mid, big, real, single, exact, flag, text, place {x, when, inner {y}}}`.
  private func model() -> NSManagedObjectModel {
    let inner = NSCompositeAttributeDescription()
    (inner.name, inner.elements) = ("inner", [TestModel.attribute("y", .doubleAttributeType)])
    let place = NSCompositeAttributeDescription()
    place.name = "place"
    place.elements = [
      TestModel.attribute("x", .doubleAttributeType),
      TestModel.attribute("z", .floatAttributeType),
      TestModel.attribute("when", .dateAttributeType), inner,
    ]
    return TestModel.model([
      TestModel.entity(
        "Item",
        [
          TestModel.attribute("n", .integer64AttributeType),
          TestModel.attribute("small", .integer16AttributeType),
          TestModel.attribute("mid", .integer32AttributeType),
          TestModel.attribute("big", .integer64AttributeType),
          TestModel.attribute("real", .doubleAttributeType),
          TestModel.attribute("single", .floatAttributeType),
          TestModel.attribute("exact", .decimalAttributeType),
          TestModel.attribute("flag", .booleanAttributeType), TestModel.attribute("text"), place,
        ])
    ])
  }

  // MARK: Batch updates

  @Test(arguments: [
    ("small", "small + 1"), ("mid", "mid - 1"), ("big", "big + 1"), ("big", "n / mid"),
    ("small", "n / mid"), ("small", "real"), ("mid", "real"), ("big", "real"), ("real", "mid"),
    ("flag", "mid"), ("mid", "small * 70000"), ("small", "mid"), ("mid", "big * 2"),
    ("big", "big * 4"), ("small", "real * 1e30"), ("mid", "single"), ("big", "single"),
    ("exact", "single"), ("exact", "real"),
  ])
  func batchesComputeWhatTheyDoInSQLite(key: String, format: String) throws {
    func updated(_ type: String) throws -> [String] {
      let context = try TestContexts(type, model()).context()
      let rows: [[String: Any?]] = [
        [:], ["small": 5, "mid": 3, "big": 7, "real": 2.75, "flag": true],
        ["small": Int16.max, "mid": Int32.min, "big": Int64.max, "real": -70_000.5],
        ["small": -3, "mid": 0, "big": Int64.min + 1, "real": 3e9, "single": 1_234_567],
        ["real": 1e100, "single": -0.1], ["real": 9_007_199_254_740_991, "single": 1e30],
      ]
      for (number, row) in rows.enumerated() {
        _ = context.insert("Item", row.merging(["n": number]) { $1 })
      }
      try context.save()
      let request = NSBatchUpdateRequest(entityName: "Item")
      request.propertiesToUpdate = [key: NSExpression(format: format)]
      try context.execute(request)
      context.reset()
      return try context.all("Item", sortedBy: "n").map { "\($0.value(forKey: key) ?? "nil")" }
    }
    #expect(try updated(NSPostgreSQLStoreType) == updated(NSSQLiteStoreType))
  }

  // MARK: Predicates

  /// PostgreSQL considers NaN greater than all numbers.
  @Test(arguments: [
    "exact > 2", "exact >= 2", "exact > n", "exact >= n", "n < exact", "exact BETWEEN {2, 9}",
    "real > 2", "real >= n",
  ])
  func whatIsNoNumberIsNotGreaterThanNumbers(format: String) throws {
    let contexts = try TestContexts(NSPostgreSQLStoreType, model())
    let context = try contexts.context()
    let numbers: [NSDecimalNumber] = [.notANumber, 1, 5]
    for (number, n) in zip(numbers, [0, 2, 3]) {
      _ = context.insert("Item", ["n": n, "exact": number, "real": number.doubleValue])
    }
    try context.save()
    #expect(
      try TestServer.texts("SELECT exact::text FROM \"Item\" ORDER BY n", at: contexts.url)
        == ["NaN", "1", "5"])
    let found = try contexts.context().all("Item", NSPredicate(format: format))
    #expect(found.map { $0.value(forKey: "n") as? Int } == [3])
  }

  // MARK: Composite attributes

  @Test func numbersInCompositesComeBackExactly() throws {
    let contexts = try TestContexts(NSPostgreSQLStoreType, model())
    let context = try contexts.context()
    var random = Random(5)
    var numbers = [
      0.1 + 0.2, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1.2345678901234567e45,
      .infinity,
    ]
    numbers += (0..<1000).map { Double($0) / 7 + 0.1 }
    numbers += (0..<1000).map { _ in
      let number = Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &random))
      return number.isFinite ? number : 1
    }
    for (index, number) in numbers.enumerated() {
      _ = context.insert(
        "Item",
        [
          "n": index,
          "place": ["x": number, "z": Float(number), "inner": ["y": -number]] as [String: Any],
        ])
    }
    try context.save()
    let items = try contexts.context().all("Item", sortedBy: "n")
    let changed = zip(items, numbers).filter { (item, number) -> Bool in
      let place = item.value(forKey: "place") as? [String: Any]
      let inner = place?["inner"] as? [String: Any]
      return (place?["x"] as? Double)?.bitPattern != number.bitPattern
        || place?["z"] as? Float != Float(number)
        || (inner?["y"] as? Double)?.bitPattern != (-number).bitPattern
    }
    #expect(items.count == numbers.count)
    #expect(changed.map { $0.1 } == [])
  }

  @Test func datesInCompositesAreRefusedLikeOthers() throws {
    let context = try TestContexts(NSPostgreSQLStoreType, model()).context()
    let item = context.insert(
      "Item", ["place": ["x": 1.0, "when": Date(timeIntervalSinceReferenceDate: -3e11)]])
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSPersistentStoreSaveError)
    #expect(error?.localizedDescription.contains("'when'") == true)
    #expect(error?.localizedDescription.contains("PostgreSQL has no such date") == true)
    item.setValue(["x": 1.0], forKey: "place")
    try context.save()
  }

  // MARK: Limits

  /// More constants than a statement can have parameters, which a list of numbers isn't: it is one parameter.
  @Test func predicatesMayHaveManyConstants() throws {
    let context = try TestContexts(NSPostgreSQLStoreType, model()).context()
    for number in 0..<3 {
      _ = context.insert("Item", ["n": number, "real": Double(number) * 10])
    }
    try context.save()
    let alternatives = (0..<35_000).map {
      NSPredicate(format: "n == %d AND real == %lf", $0 + 1, Double($0 + 1) * 10)
    }
    let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
    request.predicate = NSCompoundPredicate(orPredicateWithSubpredicates: alternatives)
    #expect(try context.fetch(request).count == 2)
    #expect(try context.count(for: request) == 2)
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: [
      NSPredicate(format: "n < 2"), request.predicate ?? NSPredicate(value: false),
    ])
    #expect(try context.all("Item", both).count == 1)
  }

  /// `Item {text, site, code}`, with indexes and a uniqueness constraint.
  private func indexed() -> NSManagedObjectModel {
    let item = TestModel.entity(
      "Item",
      [
        TestModel.attribute("text"), TestModel.attribute("site", .URIAttributeType),
        TestModel.attribute("code"), TestModel.attribute("bytes", .binaryDataAttributeType),
      ])
    item.indexes = [["text"], ["code", "site"], ["bytes"]].map { names in
      NSFetchIndexDescription(
        name: names.joined(),
        elements: names.compactMap { item.attributesByName[$0] }.map {
          NSFetchIndexElementDescription(property: $0, collationType: .binary)
        })
    }
    item.uniquenessConstraints = [["code"]]
    return TestModel.model([item])
  }

  /// The index contains only beginnings, of which some are equal.
  @Test func longStringsAreIndexed() throws {
    var random = Random(3)
    let letters = (0..<60_000).map { _ in
      Character(UnicodeScalar(UInt32(random.number(0x4E00...0x9FFF))) ?? "x")
    }
    let long = String(letters.prefix(5000))
    let others = String(letters.dropFirst(5000).prefix(400))
    let texts = [long, long + "a", long + "b", String(long.prefix(600)), others, "x", "", "xy"]
    func found(_ type: String) throws -> [[Int]] {
      let contexts = try TestContexts(type, indexed())
      let context = try contexts.context()
      for (number, text) in texts.enumerated() {
        _ = context.insert(
          "Item",
          [
            "text": text, "code": "\(number)", "bytes": Data(text.utf8),
            "site": URL(string: "https://example.com/\(number)?\(text.unicodeScalars.count)"),
          ])
      }
      _ = context.insert("Item", ["code": "8"])
      try context.save()
      let reader = try contexts.context()
      func numbers(_ predicate: NSPredicate?, limit: Int = 0) throws -> [Int] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
        request.fetchLimit = limit
        return try reader.fetch(request).compactMap {
          ($0.value(forKey: "code") as? String).flatMap { Int($0) }
        }
      }
      var lists = [try numbers(nil), try numbers(nil, limit: 4)]
      for text in texts {
        for symbol in ["==", "!=", "<", "<=", ">", ">=", "BEGINSWITH"] {
          lists.append(try numbers(NSPredicate(format: "text \(symbol) %@", text)))
        }
      }
      lists.append(try numbers(NSPredicate(format: "text IN %@", [long, texts[2], "xy", "none"])))
      let site = try #require(URL(string: "https://example.com/7?2"))
      lists.append(try numbers(NSPredicate(format: "site == %@", site as CVarArg)))
      return lists
    }
    #expect(try found(NSPostgreSQLStoreType) == found(NSSQLiteStoreType))
  }

  @Test(arguments: [false, true])
  func stringsTooLongForAConstraintAreNamed(isBatch: Bool) throws {
    let context = try TestContexts(NSPostgreSQLStoreType, indexed()).context()
    var random = Random(4)
    let long = String(
      (0..<3000).map { _ in Character(UnicodeScalar(UInt8(random.number(33...126)))) })
    let error = #expect(throws: NSError.self) {
      if isBatch {
        try context.execute(NSBatchInsertRequest(entityName: "Item", objects: [["code": long]]))
      } else {
        _ = context.insert("Item", ["code": long])
        try context.save()
      }
    }
    #expect(error?.code == NSPersistentStoreSaveError)
    #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "code")
    #expect(error?.localizedDescription.contains("'code' in Item") == true)
  }

  @Test func whatIsntStoredIsNamed() throws {
    let contexts = try TestContexts(NSPostgreSQLStoreType, model())
    let context = try contexts.context([NSPersistentHistoryTrackingKey: true])
    let coordinator = try #require(context.persistentStoreCoordinator)
    context.transactionAuthor = "a\u{0}b"
    _ = context.insert("Item", ["n": 1])
    let author = #expect(throws: NSError.self) { try context.save() }
    #expect(author?.code == NSPersistentStoreSaveError)
    #expect(author?.localizedDescription.contains("transactionAuthor") == true)
    #expect(author?.localizedDescription.contains("NUL") == true)
    let insert = NSBatchInsertRequest(entityName: "Item", objects: [["n": 2]])
    let batch = #expect(throws: NSError.self) { try context.execute(insert) }
    #expect(batch?.localizedDescription.contains("transactionAuthor") == true)
    context.transactionAuthor = nil
    try context.save()
    let store = coordinator.persistentStores[0]
    let metadata = coordinator.metadata(for: store)
    coordinator.setMetadata(
      metadata.merging(["mine": ["list": ["x\u{0}"]]]) { $1 }, for: store)
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSPersistentStoreSaveError)
    #expect(error?.localizedDescription.contains("metadata[\"mine\"]") == true)
    coordinator.setMetadata(metadata, for: store)
    try context.save()
    #expect(try contexts.context().all("Item").count == 1)
  }
}
