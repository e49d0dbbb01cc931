import Foundation
import MomKit
import MomKitPostgreSQL
import Testing

/// Entities whose names are longer than the labels of PostgreSQL's enumerations.
@Suite(.enabled(if: TestServer.isThere)) struct LongEntityTests {
  private static let beginning = String(repeating: "Entity", count: 12)
  private let root = beginning
  private let one = beginning + "One"
  private let other = beginning + "Other"
  private let alone = "Alone" + beginning

  /// A hierarchy, of which another entity has members, and a third one that has no relatives.
  private func model(more: [String] = []) -> NSManagedObjectModel {
    let parent = TestModel.entity(
      root, (["name"] + more).map { TestModel.attribute($0) } + [TestModel.toOne("owner")])
    let code = TestModel.attribute("code", optional: false, default: "?")
    let first = TestModel.entity(one, [code])
    first.uniquenessConstraints = [["code"]]
    let second = TestModel.entity(other, [TestModel.attribute("title")])
    parent.subentities = [first, second]
    let members = TestModel.toMany("members")
    let favorite = TestModel.toOne("favorite")
    let owner = TestModel.entity("Owner", [TestModel.attribute("name"), members, favorite])
    if let owned = parent.relationshipsByName["owner"] {
      TestModel.link(members, owner, owned, parent)
    }
    favorite.destinationEntity = parent
    let single = TestModel.entity(alone, [TestModel.attribute("name")])
    return TestModel.model([parent, first, second, owner, single])
  }

  private func fill(_ context: NSManagedObjectContext) throws {
    let owner = context.insert("Owner", ["name": "o"])
    let names = [root, one, other, other]
    for (number, name) in names.enumerated() {
      let item = context.insert(name, ["name": "n\(number)", "owner": owner])
      if name == one { item.setValue("c", forKey: "code") }
      if number == 2 { owner.setValue(item, forKey: "favorite") }
    }
    // As many as are written by one statement.
    for number in 0..<40 { _ = context.insert(other, ["name": "m\(number)"]) }
    _ = context.insert(alone, ["name": "a"])
    try context.save()
  }

  /// Describes all objects.
  private func description(of context: NSManagedObjectContext) throws -> [String] {
    func name(_ object: Any?) -> String {
      guard let object = object as? NSManagedObject else { return "nil" }
      return "\(object.entity.name ?? "").\(object.value(forKey: "name") ?? "nil")"
    }
    var lines: [String] = []
    for entity in [root, one, other, alone] {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity)
      request.includesSubentities = false
      lines += try context.fetch(request).map(name).sorted()
      lines.append("\(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity)))")
    }
    for owner in try context.all("Owner") {
      lines.append(name(owner.value(forKey: "favorite")))
      let members = owner.value(forKey: "members") as? Set<NSManagedObject> ?? []
      lines += members.map(name).sorted()
    }
    return lines
  }

  @Test func theirRowsAreMigrated() throws {
    let lines = try MigrationTrial.run {
      model()
    } to: {
      model(more: ["remark"])
    } fill: {
      try fill($0)
    } describe: {
      try description(of: $0)
    }
    #expect(lines.count == 54)
  }

  @Test func theyAreFetchedAndChangedByBatches() throws {
    func answers(_ type: String) throws -> [String] {
      let options: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
      let model = model()
      let contexts = try TestContexts(type, model)
      let context = try contexts.context(options)
      try fill(context)
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      let entity = try #require(model.entitiesByName[one])
      var answers = try context.all(root, NSPredicate(format: "entity == %@", entity)).map {
        $0.entity.name ?? ""
      }
      func add(_ result: Any?) {
        let ids = result as? [NSManagedObjectID] ?? []
        answers += ids.map { $0.entity.name ?? "" }.sorted()
      }
      let insert = NSBatchInsertRequest(
        entityName: one, objects: [["code": "c", "name": "again"], ["code": "d", "name": "new"]])
      insert.resultType = .objectIDs
      add((try context.execute(insert) as? NSBatchInsertResult)?.result)
      let many = NSBatchInsertRequest(
        entityName: other, objects: (0..<4100).map { ["name": "b\($0)"] })
      try context.execute(many)
      let update = NSBatchUpdateRequest(entityName: root)
      update.predicate = NSPredicate(format: "owner != nil")
      update.propertiesToUpdate = ["name": "updated"]
      update.resultType = .updatedObjectIDsResultType
      add((try context.execute(update) as? NSBatchUpdateResult)?.result)
      let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: other)
      fetch.predicate = NSPredicate(
        format: "name BEGINSWITH 'm' OR name BEGINSWITH 'b'")
      try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
      try context.execute(
        NSBatchDeleteRequest(
          fetchRequest: NSFetchRequest<any NSFetchRequestResult>(
            entityName: alone)))
      // Somebody else has the code already.
      context.reset()
      context.mergePolicy = NSMergePolicy.error
      _ = context.insert(one, ["code": "d"])
      do { try context.save() } catch { answers.append("error \((error as NSError).code)") }
      let reader = try contexts.context(options)
      answers += try description(of: reader)
      let result =
        try reader.execute(
          NSPersistentHistoryChangeRequest.fetchHistory(
            after: nil as NSPersistentHistoryToken?)) as? NSPersistentHistoryResult
      let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
      for transaction in transactions {
        answers += (transaction.changes ?? []).map {
          "\($0.changedObjectID.entity.name ?? "") \($0.changeType)"
        }.sorted()
      }
      return answers
    }
    let expected = try answers(NSSQLiteStoreType)
    #expect(try answers(NSPostgreSQLStoreType) == expected)
    #expect(expected.contains("error \(NSManagedObjectConstraintMergeError)"))
  }

  @Test func theirStoresAreCopied() throws {
    let contexts = try TestContexts(NSSQLiteStoreType, model())
    let context = try contexts.context()
    try fill(context)
    for store in context.persistentStoreCoordinator?.persistentStores ?? [] {
      try context.persistentStoreCoordinator?.remove(store)
    }
    let url = try TestServer.url()
    let outcome = try CopyTrial.copy(contexts.url.path, url.absoluteString)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let expected = try CopyTrial.contents(contexts.url, NSSQLiteStoreType, contexts.model)
    let found = try CopyTrial.contents(url, NSPostgreSQLStoreType, contexts.model)
    #expect(found.difference(from: expected) == nil)
    #expect(expected.objects.count == 46)
  }
}
