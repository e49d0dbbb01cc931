import Foundation
import MomKit
import MomKitPostgreSQL
import Testing

/// `momtool-postgresql copy`, which `momtool store copy` runs.
@Suite(.enabled(if: TestServer.isThere)) struct StoreCopyTests {
  @Test(arguments: 0..<4) func aCopyOfACopyHasTheSameObjects(seed: Int) throws {
    try CopyTrial.inFolder { folder in
      let contexts = try TestContexts(NSSQLiteStoreType, TestModel.shop())
      var context = try contexts.context()
      var objects = RandomObjects(seed)
      for _ in 0..<5 { try objects.step(context) }
      let person = context.insert(
        "Person",
        [
          "name": "everything", "extra": ["a", "b"],
          "address": ["street": "High", "number": 7, "rent": NSDecimalNumber(string: "0.1")]
            as [String: Any],
        ])
      try context.save()
      let coordinator = try #require(context.persistentStoreCoordinator)
      let store = try #require(coordinator.persistentStores.first)
      var metadata = coordinator.metadata(for: store)
      metadata["ours"] = ["a": 1]
      coordinator.setMetadata(metadata, for: store)
      try context.save()
      context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
      try coordinator.remove(store)
      let url = try TestServer.url()
      let back = folder.appendingPathComponent("back.sqlite")
      let there = try CopyTrial.copy(contexts.url.path, url.absoluteString)
      #expect(there.status == 0, "\(there.errors)")
      #expect(there.output.contains("counts and checksums are equal"))
      let again = try CopyTrial.copy(url.absoluteString, back.path)
      #expect(again.status == 0, "\(again.errors)")
      let expected = try CopyTrial.contents(contexts.url, NSSQLiteStoreType, contexts.model)
      #expect(expected.objects.count > 10)
      let between = try CopyTrial.contents(url, NSPostgreSQLStoreType, contexts.model)
      #expect(between.difference(from: expected) == nil)
      let copied = try CopyTrial.contents(back, NSSQLiteStoreType, contexts.model)
      #expect(copied.difference(from: expected) == nil)
      for copy in [between, copied] {
        #expect((copy.metadata["ours"] as? [String: Int]) == ["a": 1])
        #expect(
          copy.metadata[NSStoreUUIDKey] as? String == expected.metadata[NSStoreUUIDKey] as? String)
      }
      // New objects don't get keys that copied ones have.
      let other = try TestContexts(NSPostgreSQLStoreType, TestModel.shop(), at: url).context()
      let new = other.insert("Person", ["name": "new"])
      try other.save()
      #expect(new.key > person.key)
    }
  }

  /// Stores that Apple's Core Data made.
  private static var corpus: [String] {
    let root =
      ProcessInfo.processInfo.environment["MOMKIT_CORPUS"] ?? "/work/shared/corpus"
    let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(".sqlite") }.sorted().map { "\(root)/\($0)" }
  }

  @Test(arguments: corpus) func realStoresComeBackEqual(path: String) throws {
    guard let model = try? StoreFile(at: path).cachedModel() else { return }
    try CopyTrial.inFolder { folder in
      // Opening a context writes beside a store.
      let source = folder.appendingPathComponent("source.sqlite")
      try FileManager.default.copyItem(atPath: path, toPath: source.path)
      let url = try TestServer.url()
      let there = try CopyTrial.copy(source.path, url.absoluteString)
      let isDerived = model.entities.contains { entity in
        entity.properties.contains { $0 is NSDerivedAttributeDescription }
      }
      guard !isDerived else {
        #expect(there.status == 2 && there.errors.contains("derived"))
        return
      }
      #expect(there.status == 0, "\(there.errors)")
      let back = folder.appendingPathComponent("back.sqlite")
      let again = try CopyTrial.copy(url.absoluteString, back.path)
      #expect(again.status == 0, "\(again.errors)")
      let expected = try CopyTrial.contents(source, NSSQLiteStoreType, model)
      #expect(
        try CopyTrial.contents(back, NSSQLiteStoreType, model).difference(from: expected) == nil)
    }
  }

  @Test func nothingIsOverwritten() throws {
    try CopyTrial.inFolder { folder in
      let contexts = try TestContexts(NSPostgreSQLStoreType, TestModel.shop())
      let context = try contexts.context()
      _ = context.insert("Tag", ["title": "a"])
      try context.save()
      let file = folder.appendingPathComponent("there.sqlite")
      #expect(try CopyTrial.copy(contexts.url.absoluteString, file.path).status == 0)
      let onto = try CopyTrial.copy(contexts.url.absoluteString, file.path)
      #expect(onto.status == 2 && onto.errors.contains("already exists"))
      let back = try CopyTrial.copy(file.path, contexts.url.absoluteString)
      #expect(back.status == 2 && back.errors.contains("There is a store at"))
      let gone = try CopyTrial.copy(
        try TestServer.url().absoluteString, folder.path + "/new.sqlite")
      #expect(gone.status == 2 && gone.errors.contains("There is no store"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["there.sqlite"])
    }
  }

  @Test func whatTheOtherStoreCantKeepIsSaid() throws {
    try CopyTrial.inFolder { folder in
      let contexts = try TestContexts(NSPostgreSQLStoreType, TestModel.shop())
      let context = try contexts.context()
      _ = context.insert(
        "Person", ["name": "a", "money": NSDecimalNumber(string: "12345678901234567890.12345")])
      try context.save()
      let file = folder.appendingPathComponent("rounded.sqlite")
      let there = try CopyTrial.copy(contexts.url.absoluteString, file.path)
      #expect(there.status == 0 && there.errors.contains("1 values of Person.money"), "\(there)")

      let sqlite = try TestContexts(NSSQLiteStoreType, TestModel.shop())
      let other = try sqlite.context()
      let person = other.insert("Person", ["name": "a\0b"])
      try other.save()
      let refused = try CopyTrial.copy(sqlite.url.path, try TestServer.url().absoluteString)
      #expect(
        refused.status == 2 && refused.errors.contains("Person/p\(person.key): "), "\(refused)")
      #expect(refused.errors.contains("NUL"))
    }
  }

  /// The copy has the original's UUID, so that the URIs of what was deleted there stay those of nothing.
  @Test(arguments: [NSSQLiteStoreType, NSPostgreSQLStoreType])
  func keysOfDeletedObjectsAreNotGivenAgain(type: String) throws {
    func key(_ object: NSManagedObject) -> String {
      object.objectID.uriRepresentation().path
    }
    let contexts = try TestContexts(type, TestModel.shop())
    let context = try contexts.context()
    let tags = (0..<3).map { context.insert("Tag", ["title": "t\($0)"]) }
    let people = (0..<2).map { context.insert("Person", ["name": "p\($0)"]) }
    try context.save()
    let known = Set((tags + people).map(key))
    // The table of tags is empty then, and the one of people isn't.
    for object in tags + people.dropFirst() { context.delete(object) }
    try context.save()
    try CopyTrial.inFolder { folder in
      let file = folder.appendingPathComponent("copy.sqlite")
      let isSQLite = type == NSSQLiteStoreType
      let place = isSQLite ? try TestServer.url() : file
      let outcome = try CopyTrial.copy(
        isSQLite ? contexts.url.path : contexts.url.absoluteString,
        isSQLite ? place.absoluteString : place.path)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let copy = try TestContexts(
        isSQLite ? NSPostgreSQLStoreType : NSSQLiteStoreType, TestModel.shop(), at: place
      ).context()
      let new = (0..<4).flatMap { _ in
        [copy.insert("Tag"), copy.insert("Person"), copy.insert("Company")]
      }
      try copy.save()
      #expect(known.isDisjoint(with: new.map(key)))
    }
  }

  @Test func aKilledCopyLeavesNothingAndCanBeMadeAgain() throws {
    let contexts = try TestContexts(NSSQLiteStoreType, TestModel.shop())
    let context = try contexts.context()
    for number in 0..<4000 {
      let order = context.insert("Order", ["number": number, "note": "n\(number)"])
      let tag = context.insert("Tag", ["title": "t"])
      order.setValue(NSOrderedSet(array: [tag]), forKey: "tags")
    }
    try context.save()
    try CopyTrial.inFolder { folder in
      let url = try TestServer.url()
      var (whole, none) = (0, 0)
      for round in 0..<8 {
        let process = try CopyTrial.process(contexts.url.path, url.absoluteString)
        try process.run()
        usleep(UInt32(round) * 120_000 + 50_000)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        let back = folder.appendingPathComponent("back\(round).sqlite")
        let outcome = try CopyTrial.copy(url.absoluteString, back.path)
        if outcome.status == 0 {
          whole += 1
          #expect(outcome.output.contains("Order  4000"), "\(outcome.output)")
          try NSPersistentStoreCoordinator(managedObjectModel: contexts.model)
            .destroyPersistentStore(at: url, ofType: NSPostgreSQLStoreType)
        } else {
          none += 1
          #expect(outcome.errors.contains("There is no store"), "\(outcome.errors)")
        }
        let file = folder.appendingPathComponent("killed\(round).sqlite")
        let other = try CopyTrial.process(contexts.url.path, file.path)
        try other.run()
        usleep(UInt32(round) * 60_000 + 20_000)
        kill(other.processIdentifier, SIGKILL)
        other.waitUntilExit()
      }
      #expect(none > 0, "\(whole) copies were finished")
      let again = try CopyTrial.copy(contexts.url.path, url.absoluteString)
      #expect(again.status == 0, "\(again.errors)")
      let killed = try CopyTrial.copy(
        url.absoluteString, folder.appendingPathComponent("k.sqlite").path)
      #expect(killed.status == 0, "\(killed.errors)")
    }
  }

  @Test func aCopyThatASignalEndsLeavesNothing() throws {
    let contexts = try TestContexts(NSPostgreSQLStoreType, TestModel.shop())
    let context = try contexts.context()
    for number in 0..<4000 {
      _ = context.insert("Order", ["number": number, "note": "n\(number)"])
    }
    try context.save()
    var count = 0
    for round in 0..<4 {
      try CopyTrial.inFolder { folder in
        func names() throws -> [String] {
          try FileManager.default.contentsOfDirectory(atPath: folder.path)
        }
        let process = try CopyTrial.process(
          contexts.url.absoluteString, folder.appendingPathComponent("copy.sqlite").path)
        try process.run()
        // Until the draft is there, and then some.
        while process.isRunning, try names().isEmpty { usleep(1000) }
        usleep(UInt32(round) * 10_000)
        kill(process.processIdentifier, SIGTERM)
        process.waitUntilExit()
        let left = try names()
        // The signal may come when the copy is in its place.
        #expect(left.isEmpty || left == ["copy.sqlite"])
        if process.terminationReason == .uncaughtSignal, left.isEmpty { count += 1 }
      }
    }
    #expect(count > 0, "all copies were finished")
  }
}
