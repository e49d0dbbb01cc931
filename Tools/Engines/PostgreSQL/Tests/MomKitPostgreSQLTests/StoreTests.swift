import Foundation
import MomKit
import MomKitPostgreSQL
import Testing

@Suite(.enabled(if: TestServer.isThere)) struct StoreTests {
  private let contexts: TestContexts

  init() throws { contexts = try TestContexts(NSPostgreSQLStoreType, TestModel.shop()) }

  @Test func everyTypeOfValueComesBack() throws {
    let context = try contexts.context()
    let uuid = UUID()
    let big = try #require(Decimal(string: "12345678901234567890.123456789012345678"))
    let values: [String: Any] = [
      "name": "Zoë 😀 \\ ' \" \n", "id": uuid, "birth": Date(timeIntervalSinceReferenceDate: -0.25),
      "height": 1.7e-300, "weight": Float(71.3), "money": NSDecimalNumber(decimal: big),
      "small": Int16.min, "mid": Int32.max, "big": Int64.min, "flag": true,
      "blob": Data([0, 255, 1]), "site": URL(string: "https://example.com/?a=b#c")!,
      "extra": ["a", "b"],
      "address": [
        "street": "High", "number": 7, "since": Date(timeIntervalSinceReferenceDate: 1e8),
        "rent": NSDecimalNumber(string: "0.1"),
      ] as [String: Any],
    ]
    _ = context.insert("Person", values)
    try context.save()
    let other = try contexts.context()
    let person = try #require(try other.all("Person").first)
    #expect(person.value(forKey: "name") as? String == "Zoë 😀 \\ ' \" \n")
    #expect(person.value(forKey: "id") as? UUID == uuid)
    #expect((person.value(forKey: "birth") as? Date)?.timeIntervalSinceReferenceDate == -0.25)
    #expect(person.value(forKey: "height") as? Double == 1.7e-300)
    #expect(person.value(forKey: "weight") as? Float == 71.3)
    #expect((person.value(forKey: "money") as? NSDecimalNumber)?.decimalValue == big)
    #expect(person.value(forKey: "small") as? Int == -32768)
    #expect(person.value(forKey: "mid") as? Int == Int(Int32.max))
    #expect(person.value(forKey: "big") as? Int == Int.min)
    #expect(person.value(forKey: "flag") as? Bool == true)
    #expect(person.value(forKey: "blob") as? Data == Data([0, 255, 1]))
    #expect((person.value(forKey: "site") as? URL)?.fragment == "c")
    #expect(person.value(forKey: "extra") as? [String] == ["a", "b"])
    let address = try #require(person.value(forKey: "address") as? [String: Any])
    #expect(address["street"] as? String == "High")
    #expect(address["number"] as? Int == 7)
    #expect((address["since"] as? Date)?.timeIntervalSinceReferenceDate == 1e8)
    #expect((address["rent"] as? NSDecimalNumber)?.stringValue == "0.1")
  }

  @Test func aMemberWithoutInverseHasItsLastOwner() throws {
    let context = try contexts.context()
    let orders = (0..<2).map { context.insert("Order", ["number": $0]) }
    let person = context.insert("Person", ["name": "p"])
    orders[0].setValue(NSSet(array: [person]), forKey: "watchers")
    try context.save()
    // A context that has never read the first owner.
    let other = try contexts.context()
    let second = try #require(try other.all("Order", NSPredicate(format: "number == 1")).first)
    second.setValue(NSSet(array: try other.all("Person")), forKey: "watchers")
    try other.save()
    let third = try contexts.context()
    let read = try third.all("Order", sortedBy: "number")
    #expect(read.map { ($0.value(forKey: "watchers") as? NSSet)?.count } == [0, 1])
  }

  @Test func datesHaveMicrosecondsFromTheSaveOn() throws {
    let context = try contexts.context()
    let date = Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_78)
    let person = context.insert("Person", ["name": "a", "birth": date])
    try context.save()
    let kept = try #require(person.value(forKey: "birth") as? Date)
    #expect(abs(kept.timeIntervalSince(date)) < 1e-6)
    let read = try #require(try contexts.context().all("Person").first?.value(forKey: "birth"))
    #expect(read as? Date == kept)
    #expect(
      try context.count(for: request("Person", NSPredicate(format: "birth == %@", kept as CVarArg)))
        == 1)
  }

  private func request(
    _ entity: String, _ predicate: NSPredicate? = nil
  ) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = predicate
    return request
  }

  @Test func whatPostgreSQLCantKeepIsRefused() throws {
    let context = try contexts.context()
    let person = context.insert("Person", ["name": "a\u{0}b"])
    #expect(throws: CocoaError.self) { try context.save() }
    person.setValue("ab", forKey: "name")
    person.setValue(Date(timeIntervalSinceReferenceDate: 1e13), forKey: "birth")
    #expect(throws: CocoaError.self) { try context.save() }
    person.setValue(nil, forKey: "birth")
    try context.save()
    #expect(try contexts.context().count(for: request("Party")) == 1)
  }

  @Test func relationshipsOfAllKindsComeBack() throws {
    let context = try contexts.context()
    let people = (0..<4).map { context.insert("Person", ["name": "p\($0)"]) }
    let orders = (0..<5).map { context.insert("Order", ["number": $0]) }
    let tags = (0..<3).map { context.insert("Tag", ["title": "t\($0)"]) }
    people[1].setValue(people[0], forKey: "boss")
    people[0].setValue(NSSet(array: [people[2], people[3]]), forKey: "friends")
    people[0].setValue(context.insert("Passport", ["code": "x"]), forKey: "passport")
    people[0].setValue(NSOrderedSet(array: [orders[3], orders[0], orders[4]]), forKey: "orders")
    orders[0].setValue(NSOrderedSet(array: [tags[2], tags[0], tags[1]]), forKey: "tags")
    orders[1].setValue(NSOrderedSet(array: [tags[1]]), forKey: "tags")
    orders[0].setValue(NSSet(array: [people[2]]), forKey: "watchers")
    orders[1].setValue(NSSet(array: [people[1]]), forKey: "watchers")
    try context.save()

    func names(_ value: Any?, _ key: String) -> [String] {
      let objects = (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? []
      let names = objects.map { "\(($0 as? NSManagedObject)?.value(forKey: key) ?? "")" }
      return value is NSOrderedSet ? names : names.sorted()
    }
    let other = try contexts.context()
    var read = try other.all("Person", sortedBy: "name")
    var readOrders = try other.all("Order", sortedBy: "number")
    #expect(names(read[0].value(forKey: "orders"), "number") == ["3", "0", "4"])
    #expect(names(readOrders[0].value(forKey: "tags"), "title") == ["t2", "t0", "t1"])
    #expect(names(readOrders[0].value(forKey: "watchers"), "name") == ["p2"])
    #expect(names(readOrders[1].value(forKey: "watchers"), "name") == ["p1"])
    #expect(names(read[2].value(forKey: "friends"), "name") == ["p0"])
    #expect(read[1].value(forKey: "boss") as? NSManagedObject === read[0])
    #expect(readOrders[3].value(forKey: "customer") as? NSManagedObject === read[0])
    let passport = read[0].value(forKey: "passport") as? NSManagedObject
    #expect(passport?.value(forKey: "holder") as? NSManagedObject === read[0])

    // Moved, removed, deleted.
    read[0].setValue(
      NSOrderedSet(array: [readOrders[4], readOrders[1], readOrders[3]]), forKey: "orders")
    readOrders[0].setValue(
      NSOrderedSet(), forKey: "tags")
    read[0].setValue(NSSet(array: [read[3]]), forKey: "friends")
    other.delete(read[1])
    try other.save()
    let third = try contexts.context()
    read = try third.all("Person", sortedBy: "name")
    readOrders = try third.all("Order", sortedBy: "number")
    #expect(read.count == 3)
    #expect(names(read[0].value(forKey: "orders"), "number") == ["4", "1", "3"])
    #expect(names(readOrders[0].value(forKey: "tags"), "title") == [])
    #expect(names(readOrders[0].value(forKey: "watchers"), "name") == ["p2"])
    #expect(names(read[0].value(forKey: "friends"), "name") == ["p3"])
    third.delete(read[0])
    try third.save()
    // The orders and the passport are deleted with their owner.
    #expect(try contexts.context().count(for: request("Order")) == 2)
    #expect(try contexts.context().count(for: request("Passport")) == 0)
  }

  @Test func whoComesSecondHasAConflictAndPoliciesResolveIt() throws {
    let (one, two) = (try contexts.context(), try contexts.context())
    let mine = one.insert("Person", ["name": "a", "mid": 1])
    try one.save()
    let theirs = try #require(try two.all("Person").first)
    theirs.setValue("b", forKey: "name")
    try two.save()
    mine.setValue(2, forKey: "mid")
    let error = #expect(throws: NSError.self) { try one.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    one.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try one.save()
    two.refreshAllObjects()
    #expect(theirs.value(forKey: "name") as? String == "b")
    #expect(theirs.value(forKey: "mid") as? Int == 2)
    // An object deleted elsewhere.
    two.delete(theirs)
    try two.save()
    one.mergePolicy = NSMergePolicy.error
    mine.setValue(3, forKey: "mid")
    #expect(throws: NSError.self) { try one.save() }
    one.rollback()
  }

  @Test func valuesThatMustBeUniqueAre() throws {
    let (one, two) = (try contexts.context(), try contexts.context())
    _ = one.insert("Company", ["name": "a", "vat": "1"])
    try one.save()
    let second = two.insert("Company", ["name": "b", "vat": "1"])
    let error = #expect(throws: NSError.self) { try two.save() }
    #expect(error?.code == NSManagedObjectConstraintMergeError)
    two.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try two.save()
    #expect(
      try contexts.context().all("Company").map { $0.value(forKey: "name") as? String } == ["b"])
    _ = second
    // Two objects in one save, and exchanged values.
    let three = try contexts.context()
    _ = three.insert("Order", ["number": 5])
    _ = three.insert("Order", ["number": 5])
    #expect(throws: NSError.self) { try three.save() }
    three.reset()
    let (a, b) = (three.insert("Order", ["number": 1]), three.insert("Order", ["number": 2]))
    try three.save()
    a.setValue(2, forKey: "number")
    b.setValue(1, forKey: "number")
    try three.save()
    let numbers = try contexts.context().all("Order", sortedBy: "number").map {
      $0.objectID.uriRepresentation()
    }
    #expect(numbers == [b, a].map { $0.objectID.uriRepresentation() })
  }

  @Test func anotherModelIsRefusedAndMetadataAreKept() throws {
    let context = try contexts.context()
    let coordinator = try #require(context.persistentStoreCoordinator)
    let store = coordinator.persistentStores[0]
    var metadata = coordinator.metadata(for: store)
    metadata["mine"] = "here"
    coordinator.setMetadata(metadata, for: store)
    try context.save()
    let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSPostgreSQLStoreType, at: contexts.url)
    #expect(read["mine"] as? String == "here")
    #expect(read[NSStoreUUIDKey] as? String == store.identifier)
    let other = NSPersistentStoreCoordinator(
      managedObjectModel: TestModel.model([TestModel.entity("Other", [TestModel.attribute("x")])]))
    let error = #expect(throws: NSError.self) {
      try other.addPersistentStore(
        type: .postgreSQL, at: contexts.url,
        options: [NSMigratePersistentStoresAutomaticallyOption: false])
    }
    #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    try coordinator.destroyPersistentStore(at: contexts.url, type: .postgreSQL)
    #expect(throws: NSError.self) {
      try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: NSPostgreSQLStoreType, at: contexts.url)
    }
  }

  @Test func descriptionsAreOfTheURLsTypeAndErrorsHaveNoPasswords() throws {
    #expect(NSPersistentStoreDescription(url: contexts.url).type == NSPostgreSQLStoreType)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: contexts.model)
    for text in [
      "postgresql://momkit:geheim@127.0.0.1:1/x", "postgresql://momkit:geheim@127.0.0.1:port/x",
      "postgresql://momkit:geheim@\(contexts.url.host ?? ""):\(contexts.url.port ?? 0)/postgres",
      "postgresql://momkit:geheim@127.0.0.1:1/x?bogus=1",
    ] {
      guard let url = URL(string: text) else { continue }
      let error = #expect(throws: NSError.self) {
        try coordinator.addPersistentStore(
          type: .postgreSQL, at: url, options: [NSPersistentStoreTimeoutOption: 0.5])
      }
      #expect(error.map { "\($0) \($0.userInfo)" }?.contains("geheim") == false)
    }
  }

  @Test func attributesMayHaveNamesOfSystemColumns() throws {
    let names = ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"]
    let contexts = try TestContexts(
      NSPostgreSQLStoreType,
      TestModel.model([TestModel.entity("E", names.map { TestModel.attribute($0) })]))
    let context = try contexts.context()
    _ = context.insert("E", Dictionary(uniqueKeysWithValues: names.map { ($0, $0) }))
    try context.save()
    let read = try contexts.context().all("E", NSPredicate(format: "xmin == 'xmin'"))
    #expect(names.map { read.first?.value(forKey: $0) as? String } == names)
  }

  @Test(arguments: ["pg_class", "_momkit", "_momkit_change"])
  func tablesOfOthersNamesAreRefused(name: String) throws {
    let contexts = try TestContexts(
      NSPostgreSQLStoreType, TestModel.model([TestModel.entity(name, [TestModel.attribute("x")])]))
    let error = #expect(throws: NSError.self) { _ = try contexts.context() }
    #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
    #expect(error?.localizedDescription.contains(" \(name),") == true)
  }

  @Test func manyRowsAreSavedFetchedInWindowsAndPrefetched() throws {
    let context = try contexts.context()
    let owner = context.insert("Person", ["name": "owner"])
    for number in 0..<5000 {
      let order = context.insert(
        "Order", ["number": number, "note": number % 3 == 0 ? nil : "n\(number % 7)"])
      if number % 2 == 0 { order.setValue(owner, forKey: "customer") }
    }
    try context.save()
    let other = try contexts.context()
    let fetch = request("Order", NSPredicate(format: "note == nil"))
    fetch.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
    (fetch.fetchLimit, fetch.fetchOffset) = (3, 2)
    #expect(
      try other.fetch(fetch).map { $0.value(forKey: "number") as? Int } == [4992, 4989, 4986])
    #expect(
      try other.count(for: request("Order", NSPredicate(format: "customer.name == 'owner'")))
        == 2500)
    let people = request("Person")
    people.relationshipKeyPathsForPrefetching = ["orders"]
    let found = try other.fetch(people)
    #expect((found[0].value(forKey: "orders") as? NSOrderedSet)?.count == 2500)
    for order in try other.all("Order") { order.setValue("changed", forKey: "note") }
    try other.save()
    #expect(
      try contexts.context().count(for: request("Order", NSPredicate(format: "note == 'changed'")))
        == 5000)
    for order in try other.all("Order") { other.delete(order) }
    try other.save()
    #expect(try contexts.context().count(for: request("Order")) == 0)
  }
}
