import Foundation
import MomKit
import MomKitPostgreSQL
import Testing

/// Uniqueness and numbers of members: the rules of a model have the same results as in SQLite.
@Suite(.enabled(if: TestServer.isThere)) struct RuleTests {
  /// `Node {code, parent, children}`; codes are unique, and a node with children keeps at least one.
  private func model(atLeast least: Int) -> NSManagedObjectModel {
    let (parent, children) = (TestModel.toOne("parent"), TestModel.toMany("children"))
    let node = TestModel.entity(
      "Node", [TestModel.attribute("code", .integer32AttributeType), parent, children])
    TestModel.link(parent, node, children, node)
    children.minCount = least
    node.uniquenessConstraints = [["code"]]
    return TestModel.model([node])
  }

  private func both<Result: Equatable>(
    atLeast least: Int = 0, _ body: (NSManagedObjectContext) throws -> Result
  ) throws -> Result {
    let model = model(atLeast: least)
    let expected = try body(TestContexts(NSSQLiteStoreType, model).context())
    let found = try body(TestContexts(NSPostgreSQLStoreType, model).context())
    #expect(found == expected)
    return found
  }

  /// The row that has a value isn't one of those that the save writes, even if its members change.
  @Test(arguments: [
    NSMergePolicyType.overwriteMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
    .mergeByPropertyStoreTrumpMergePolicyType,
  ])
  func anOwnerDoesNotClashByItsMembers(policy: NSMergePolicyType) throws {
    let left = try both { context -> [String] in
      context.mergePolicy = NSMergePolicy(merge: policy)
      let holder = context.insert("Node", ["code": 1])
      let other = context.insert("Node", ["code": 2])
      try context.save()
      other.setValue(1, forKey: "code")
      other.setValue(holder, forKey: "parent")
      try context.save()
      return try context.all("Node", sortedBy: "code").map { node in
        let key = node.objectID.uriRepresentation().lastPathComponent
        return
          "\(key == holder.objectID.uriRepresentation().lastPathComponent) \(node.value(forKey: "code") ?? "")"
      }
    }
    #expect(!left.isEmpty)
  }

  /// Two spellings of a letter, of which Swift says that they are equal, are two values of the store.
  @Test(arguments: [
    NSMergePolicyType.overwriteMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
  ])
  func canonicallyEqualStringsDontClash(policy: NSMergePolicyType) throws {
    func left(_ type: String) throws -> [String] {
      let contexts = try TestContexts(type, TestModel.shop())
      let context = try contexts.context()
      _ = context.insert("Company", ["name": "old", "vat": "1"])
      try context.save()
      context.mergePolicy = NSMergePolicy(merge: policy)
      for (name, vat) in [("new", "1"), ("one", "\u{E9}"), ("two", "e\u{301}")] {
        _ = context.insert("Company", ["name": name, "vat": vat])
      }
      try context.save()
      return try contexts.context().all("Company", sortedBy: "name").map { company in
        let vat = company.value(forKey: "vat") as? String ?? ""
        return "\(company.value(forKey: "name") ?? "") \(Array(vat.utf8))"
      }
    }
    let found = try left(NSPostgreSQLStoreType)
    #expect(try found == left(NSSQLiteStoreType))
    #expect(found == ["new [49]", "one [195, 169]", "two [101, 204, 129]"])
  }

  /// A batch with a merge policy heeds which entities a constraint is for, and replaces only rows of its own entity.
  @Test(
    arguments: ["Part", "Gear"],
    [
      NSMergePolicyType.errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
      .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
      .rollbackMergePolicyType,
    ])
  func aBatchMeetsOnlyRowsOfTheConstraint(of constrained: String, policy: NSMergePolicyType)
    throws
  {
    func left(_ type: String) throws -> [String] {
      let part = TestModel.entity(
        "Part", [TestModel.attribute("code"), TestModel.attribute("note")])
      let (gear, wheel) = (TestModel.entity("Gear", []), TestModel.entity("Wheel", []))
      part.subentities = [gear, wheel]
      (constrained == "Part" ? part : gear).uniquenessConstraints = [["code"]]
      let context = try TestContexts(type, TestModel.model([part, gear, wheel])).context()
      context.mergePolicy = NSMergePolicy(merge: policy)
      _ = context.insert("Wheel", ["code": "a", "note": "there"])
      _ = context.insert("Gear", ["code": "b", "note": "there"])
      try context.save()
      var lines: [String] = []
      for codes in [["a", "c"], ["b", "d"], ["e", "e"]] {
        let request = NSBatchInsertRequest(
          entityName: "Gear", objects: codes.map { ["code": $0, "note": "batch"] })
        request.resultType = .count
        do {
          let result = try context.execute(request) as? NSBatchInsertResult
          lines.append("inserted \(result?.result ?? "nothing")")
        } catch { lines.append("refused: \((error as NSError).code)") }
      }
      context.reset()
      lines += try context.all("Part").map { part in
        "\(part.value(forKey: "code") ?? "") \(part.entity.name ?? "") \(part.value(forKey: "note") ?? "")"
      }.sorted()
      return lines
    }
    let found = try left(NSPostgreSQLStoreType)
    guard constrained == "Gear" else { return #expect(try found == left(NSSQLiteStoreType)) }
    // SQLite's index is on the whole table; wheels and gears may have the same codes here, as saves allow it.
    #expect(found.first == "inserted 2")
    #expect(found.contains("a Wheel there") && found.contains("a Gear batch"))
  }

  @Test func aBatchLeavesEnoughMembers() throws {
    let code = try both(atLeast: 1) { context -> Int? in
      let owner = context.insert("Node", ["code": 1])
      let child = context.insert("Node", ["code": 2])
      // Its own child, so that every node has one.
      child.setValue(owner, forKey: "parent")
      owner.setValue(child, forKey: "parent")
      try context.save()
      let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Node")
      fetch.predicate = NSPredicate(format: "code == 2")
      do {
        _ = try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
        return nil
      } catch { return (error as NSError).code }
    }
    #expect(code == NSPersistentStoreSaveConflictsError)
  }

  /// No foreign key tells of which object and relationship it is.
  @Test(arguments: ["friend", "friends"], [false, true])
  func aReferenceToADeletedRowIsRefused(key: String, isPutBack: Bool) throws {
    let isToMany = key == "friends"
    func open(_ type: String) throws -> [String] {
      let reference = isToMany ? TestModel.toMany(key) : TestModel.toOne(key)
      let node = TestModel.entity("Node", [TestModel.attribute("name"), reference])
      reference.destinationEntity = node
      let contexts = try TestContexts(type, TestModel.model([node]))
      let mine = try contexts.context()
      let theirs = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
      theirs.persistentStoreCoordinator = mine.persistentStoreCoordinator
      let (owner, target) = (
        mine.insert("Node", ["name": "a"]), mine.insert("Node", ["name": "b"])
      )
      func lead() { owner.setValue(isToMany ? NSSet(object: target) : target, forKey: key) }
      if isPutBack { lead() }
      try mine.save()
      if isPutBack {
        mine.delete(target)
        mine.processPendingChanges()
      } else {
        theirs.delete(theirs.object(with: target.objectID))
        try theirs.save()
      }
      owner.setValue("c", forKey: "name")
      lead()
      do {
        try mine.save()
        return ["saved"]
      } catch let error as NSError {
        let object = error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject
        let found = error.userInfo[NSValidationKeyErrorKey] as? String
        return ["\(error.code)", "\(object === owner)", found ?? ""]
      }
    }
    let expected = try open(NSSQLiteStoreType)
    #expect(try open(NSPostgreSQLStoreType) == expected)
    if !isPutBack { #expect(expected == ["1550", "true", key]) }
  }
}
