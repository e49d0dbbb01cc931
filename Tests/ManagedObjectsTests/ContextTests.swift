import DataModels
import Foundation
import StoreSupport
import Testing

@testable import ManagedObjects

@Suite struct ContextTests {
  @Test func fetchesSeeUnsavedChanges() throws {
    let context = try Company.context()
    let first = insert(PersonMO.self, "Person", context)
    first.name = "first"
    try context.save()
    let second = insert(PersonMO.self, "Manager", context)
    let request = NSFetchRequest<PersonMO>(entityName: "Person")
    #expect(Set(try context.fetch(request)) == [first, second])
    #expect(try context.count(for: request) == 2)
    request.includesSubentities = false
    #expect(try context.fetch(request) == [first])
    request.includesSubentities = true
    request.includesPendingChanges = false
    #expect(try context.fetch(request) == [first])
    request.includesPendingChanges = true
    context.delete(first)
    #expect(try context.fetch(request) == [second])
    request.resultType = .countResultType
    let counts = try context.fetch(NSFetchRequest<NSNumber>(request))
    #expect(counts == [1])
  }

  @Test func aContextKeepsOneObjectForARow() throws {
    let context = try Company.context()
    let person = insert(PersonMO.self, "Person", context)
    try context.save()
    let found = try context.fetch(NSFetchRequest<PersonMO>(entityName: "Person"))
    #expect(found.first === person)
    #expect(context.object(with: person.objectID) === person)
  }

  @Test func unusedObjectsGo() throws {
    let context = try Company.context()
    for _ in 0..<10 { _ = insert(PersonMO.self, "Person", context) }
    #expect(context.registeredObjects.count == 10)
    try context.save()
    #expect(context.registeredObjects.isEmpty)
    context.retainsRegisteredObjects = true
    #expect(try context.fetch(NSFetchRequest<PersonMO>(entityName: "Person")).count == 10)
    #expect(context.registeredObjects.count == 10)
  }

  @Test func savesReachOtherContexts() async throws {
    let container = try Company.container()
    let writer = container.newBackgroundContext()
    let reader = container.newBackgroundContext()
    reader.automaticallyMergesChangesFromParent = true
    let id = try await writer.perform {
      let person = insert(PersonMO.self, "Person", writer)
      person.name = "Ada"
      try writer.save()
      return person.objectID
    }
    reader.retainsRegisteredObjects = true
    #expect(try await reader.perform { try name(of: id, in: reader) } == "Ada")
    try await writer.perform {
      (writer.object(with: id) as? PersonMO)?.name = "Eve"
      try writer.save()
    }
    // The merge is already enqueued on the reader's queue.
    #expect(try await reader.perform { try name(of: id, in: reader) } == "Eve")
  }

  /// Background contexts don't merge by themselves: what one has read before another saved isn't overwritten unnoticed.
  @Test func backgroundContextsConflict() throws {
    let container = try Company.container()
    let (one, other) = (container.newBackgroundContext(), container.newBackgroundContext())
    #expect(!one.automaticallyMergesChangesFromParent)
    let id = try one.performAndWait {
      let person = insert(PersonMO.self, "Person", one)
      person.name = "Ada"
      try one.save()
      return person.objectID
    }
    for context in [one, other] { context.retainsRegisteredObjects = true }
    for context in [one, other] {
      #expect(try context.performAndWait { try name(of: id, in: context) } == "Ada")
    }
    try one.performAndWait {
      (one.object(with: id) as? PersonMO)?.name = "Bo"
      try one.save()
    }
    // A merge would be waiting on the other's queue, and precede this block.
    other.performAndWait {
      let person = other.object(with: id) as? PersonMO
      #expect(person?.name == "Ada")
      person?.name = "Eve"
      let error = #expect(throws: NSError.self) { try other.save() }
      #expect(error?.code == NSManagedObjectMergeError)
    }
    #expect(try one.performAndWait { try name(of: id, in: one) } == "Bo")
  }

  @Test func aChildSavesIntoItsParent() throws {
    let parent = try Company.container().newBackgroundContext()
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    try child.performAndWait {
      let acme = insert(CompanyMO.self, "Company", child)
      acme.name = "Acme"
      insert(PersonMO.self, "Person", child).employer = acme
      try child.save()
      #expect(acme.objectID.isTemporaryID)
      #expect(!child.hasChanges)
    }
    try parent.performAndWait {
      #expect(parent.hasChanges)
      let people = try parent.fetch(NSFetchRequest<PersonMO>(entityName: "Person"))
      #expect(people.first?.employer?.name == "Acme")
      #expect(people.first?.employer?.staff.count == 1)
      try parent.save()
      #expect(!parent.hasChanges)
    }
    try child.performAndWait {
      child.reset()
      let company = try #require(
        try child.fetch(NSFetchRequest<CompanyMO>(entityName: "Company")).first)
      #expect(company.staff.count == 1)
      company.name = "Acme Inc."
      try child.save()
    }
    try parent.performAndWait {
      let company = try parent.fetch(NSFetchRequest<CompanyMO>(entityName: "Company")).first
      #expect(company?.name == "Acme Inc.")
      #expect(company?.isUpdated == true)
    }
  }

  @Test func whatOthersDeletedStaysADeletedObject() throws {
    let coordinator = try Company.container().persistentStoreCoordinator
    func context() -> NSManagedObjectContext {
      return TestStore.context(coordinator)
    }
    let theirs = context()
    let person = insert(PersonMO.self, "Person", theirs)
    person.name = "Ada"
    try theirs.save()
    var mine: NSManagedObjectContext? = context()
    mine?.automaticallyMergesChangesFromParent = true
    let same = try #require(mine?.object(with: person.objectID) as? PersonMO)
    #expect(same.name == "Ada")
    let id = same.objectID
    theirs.delete(person)
    try theirs.save()
    #expect(same.isDeleted)
    #expect(same.name == "Ada")
    #expect(mine?.registeredObject(for: id) === same)
    #expect(mine?.hasChanges == false)
    #expect(try mine?.fetch(NSFetchRequest<PersonMO>(entityName: "Person")).isEmpty == true)
    #expect(throws: NSError.self) { try mine?.existingObject(with: id) }
    try mine?.save()
    // The object outlives its context without a dangling reference.
    mine = nil
    #expect(same.managedObjectContext == nil)
  }

  @Test func faultsAreEmptyWhenTheirContextIsGone() throws {
    let coordinator = try Company.container().persistentStoreCoordinator
    var context: NSManagedObjectContext? = NSManagedObjectContext(
      concurrencyType: .confinementConcurrencyType)
    context?.persistentStoreCoordinator = coordinator
    func make(_ context: NSManagedObjectContext) throws -> (PersonMO, PersonMO) {
      let person = insert(PersonMO.self, "Person", context)
      let known = insert(PersonMO.self, "Person", context)
      (person.name, known.name) = ("Ada", "Eve")
      person.projects = [insert(NSManagedObject.self, "Project", context)]
      try context.save()
      context.refresh(person, mergeChanges: false)
      return (person, known)
    }
    let (person, known) = try make(#require(context))
    context = nil
    #expect(person.isFault)
    #expect(person.name == nil)
    #expect(person.age == 0)
    #expect(person.employer == nil)
    #expect(person.projects.isEmpty)
    #expect(!person.isFault)
    #expect(known.name == "Eve")
    person.name = "Mary"
    #expect(person.name == "Mary")
  }

  @Test func conflictsThatNoPolicyEndsAreThrown() throws {
    final class Idle: NSMergePolicy, @unchecked Sendable {
      var calls = 0
      override func resolve(mergeConflicts list: [Any]) throws { calls += 1 }
    }
    let coordinator = try Company.container().persistentStoreCoordinator
    func context() -> NSManagedObjectContext {
      return TestStore.context(coordinator)
    }
    let (mine, theirs) = (context(), context())
    let person = insert(PersonMO.self, "Person", theirs)
    try theirs.save()
    let same = try #require(mine.object(with: person.objectID) as? PersonMO)
    #expect(same.name == nil)
    person.name = "Ada"
    try theirs.save()
    same.name = "Eve"
    let policy = Idle(merge: .overwriteMergePolicyType)
    mine.mergePolicy = policy
    do {
      try mine.save()
      Issue.record("saved")
    } catch let error as NSError {
      #expect(error.domain == NSCocoaErrorDomain)
      #expect(error.code == NSManagedObjectMergeError)
      #expect((error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [Any])?.count == 1)
    }
    #expect(policy.calls == 15)
    #expect(same.name == "Eve")
    #expect(same.hasChanges)
  }

  @Test func notificationsSayWhatChanged() throws {
    final class Log: @unchecked Sendable { var lines: [String] = [] }
    let log = Log()
    let context = try Company.context()
    let names: [NSNotification.Name] = [
      .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextWillSave,
      .NSManagedObjectContextDidSave, .NSManagedObjectContextDidSaveObjectIDs,
    ]
    let tokens = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { note in
        let parts = (note.userInfo ?? [:]).map { "\($0)=\(($1 as? NSSet)?.count ?? 0)" }.sorted()
        log.lines.append("\(name.rawValue.prefix(20)) \(parts.joined(separator: ","))")
      }
    }
    defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
    let person = insert(PersonMO.self, "Person", context)
    try context.save()
    person.name = "x"
    context.processPendingChanges()
    context.delete(person)
    try context.save()
    #expect(
      log.lines == [
        "NSManagingContextWil ", "NSObjectsChangedInMa inserted=1",
        "NSManagingContextDid inserted=1",
        "NSManagedObjectConte inserted_objectIDs=1", "NSObjectsChangedInMa updated=1",
        "NSManagingContextWil ", "NSObjectsChangedInMa deleted=1", "NSManagingContextDid deleted=1",
        "NSManagedObjectConte deleted_objectIDs=1",
      ])
  }

  @Test(arguments: NSMergePolicyType.allCases)
  func conflictsFollowThePolicy(type: NSMergePolicyType) throws {
    let coordinator = try #require(try Company.context().persistentStoreCoordinator)
    func context() -> NSManagedObjectContext {
      return TestStore.context(coordinator)
    }
    let (mine, theirs) = (context(), context())
    mine.mergePolicy = NSMergePolicy(merge: type)
    let person = insert(PersonMO.self, "Person", mine)
    (person.name, person.age, person.pay) = ("base", 1, 1)
    try mine.save()
    let same = try #require(theirs.object(with: person.objectID) as? PersonMO)
    (same.name, same.age) = ("theirs", 2)
    try theirs.save()
    (person.name, person.pay) = ("mine", 3)
    if type == .errorMergePolicyType {
      let error = #expect(throws: NSError.self) { try mine.save() }
      #expect(error?.code == NSManagedObjectMergeError)
      #expect(person.name == "mine")
      return
    }
    try mine.save()
    let fresh = context()
    let saved = try #require(fresh.object(with: person.objectID) as? PersonMO)
    let outcome = "\(saved.name ?? "nil") \(saved.age) \(saved.pay)"
    let expected: [NSMergePolicyType: String] = [
      .mergeByPropertyStoreTrumpMergePolicyType: "theirs 2 3.0",
      .mergeByPropertyObjectTrumpMergePolicyType: "mine 2 3.0",
      .overwriteMergePolicyType: "mine 1 3.0", .rollbackMergePolicyType: "theirs 2 1.0",
    ]
    #expect(outcome == expected[type])
    #expect("\(person.name ?? "nil") \(person.age) \(person.pay)" == outcome)
  }
}

private func name(of id: NSManagedObjectID, in context: NSManagedObjectContext) throws -> String? {
  try (context.existingObject(with: id) as? PersonMO)?.name
}
