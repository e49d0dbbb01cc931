import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

@Suite struct UndoTests {
  private func context(groupsByEvent: Bool = false) throws -> NSManagedObjectContext {
    let context = try Company.context()
    context.undoManager = UndoManager()
    context.undoManager?.groupsByEvent = groupsByEvent
    context.retainsRegisteredObjects = true
    return context
  }

  /// An object that ends with the last action that holds it removes its own actions.
  @Test func actionsThatEndRemoveOthers() {
    final class Shape {
      let manager: UndoManager
      init(_ manager: UndoManager) { self.manager = manager }
      deinit { manager.removeAllActions(withTarget: self) }
    }
    let (manager, canvas) = (UndoManager(), NSObject())
    manager.groupsByEvent = false
    func act() {
      let shape = Shape(manager)
      manager.beginUndoGrouping()
      manager.registerUndo(withTarget: canvas) { [shape, manager] canvas in
        manager.registerUndo(withTarget: canvas) { _ in _ = shape }
      }
      manager.registerUndo(withTarget: shape) { _ in }
      manager.endUndoGrouping()
    }
    act()
    manager.removeAllActions()
    act()
    manager.removeAllActions(withTarget: canvas)
    #expect(!manager.canUndo)
    act()
    manager.undo()
    act()
    #expect(!manager.canRedo && manager.canUndo)
    manager.levelsOfUndo = 1
    act()
    #expect(manager.undoCount == 1)
    // Actions of what is gone count as none.
    withExtendedLifetime(canvas) {}
  }

  @Test func valuesGoBackAndForth() throws {
    let context = try context()
    let person = insert(PersonMO.self, "Person", context)
    person.name = "Ada"
    try context.save()
    person.name = "Eve"
    context.processPendingChanges()
    person.age = 40
    context.undo()
    #expect(person.age == 18)
    #expect(person.name == "Eve")
    context.undo()
    #expect(person.name == "Ada")
    #expect(!person.hasChanges)
    #expect(!context.hasChanges)
    context.redo()
    #expect(person.name == "Eve")
    #expect(person.age == 18)
    context.redo()
    #expect(person.age == 40)
    #expect(context.updatedObjects == [person])
    try context.save()
    context.undo()
    #expect(person.age == 18)
    #expect(person.isUpdated)
    try context.save()
    context.refresh(person, mergeChanges: false)
    #expect(person.age == 18)
  }

  @Test func withoutAManagerNothingIsTakenBack() throws {
    let context = try Company.context()
    #expect(context.undoManager == nil)
    let person = insert(PersonMO.self, "Person", context)
    person.name = "Ada"
    context.undo()
    #expect(person.name == "Ada")
  }

  @Test func insertionsGoAndComeAgain() throws {
    let context = try context()
    let person = insert(PersonMO.self, "Person", context)
    person.name = "Ada"
    context.processPendingChanges()
    person.name = "Eve"
    context.undo()
    #expect(person.name == "Ada")
    context.undo()
    #expect(person.managedObjectContext == nil)
    #expect(!context.hasChanges)
    #expect(context.registeredObjects.isEmpty)
    context.redo()
    #expect(person.managedObjectContext === context)
    #expect(person.isInserted)
    #expect(person.name == "Ada")
    context.redo()
    #expect(person.name == "Eve")
    try context.save()
    #expect(try context.count(for: NSFetchRequest<PersonMO>(entityName: "Person")) == 1)
    #expect(person.events.filter { $0 == "insert" }.count == 1)
    // Undoing the insertion after the save deletes the row with the next save.
    context.undo()
    context.undo()
    #expect(person.isDeleted)
    try context.save()
    #expect(try context.count(for: NSFetchRequest<PersonMO>(entityName: "Person")) == 0)
  }

  @Test func deletionsAreTakenBackWithTheirRelationships() throws {
    let context = try context()
    let acme = insert(CompanyMO.self, "Company", context)
    acme.name = "Acme"
    let person = insert(PersonMO.self, "Person", context)
    person.employer = acme
    let project = insert(NSManagedObject.self, "Project", context)
    person.projects = [project]
    let tasks = (1...3).map { _ in insert(NSManagedObject.self, "Task", context) }
    person.tasks = tasks
    try context.save()
    let id = person.objectID
    context.delete(person)
    context.processPendingChanges()
    #expect(acme.staff.isEmpty)
    #expect(tasks.map(\.isDeleted) == [true, true, true])
    context.undo()
    #expect(!person.isDeleted)
    #expect(acme.staff == [person])
    #expect(person.employer === acme)
    #expect(person.projects == [project])
    #expect(project["members"] as? Set<PersonMO> == [person])
    #expect(person.tasks == tasks)
    context.redo()
    #expect(person.isDeleted)
    #expect(acme.staff.isEmpty)
    // Undoing a saved deletion creates a new row with the same ID.
    try context.save()
    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Task")) == 0)
    context.undo()
    #expect(person.isInserted)
    #expect(person.objectID == id)
    try context.save()
    context.reset()
    let found = try #require(
      try context.fetch(NSFetchRequest<PersonMO>(entityName: "Person")).first)
    #expect(found.objectID == id)
    #expect(found.employer?.name == "Acme")
    #expect(found.tasks.count == 3)
    #expect(found.projects.count == 1)
  }

  @Test func toManysGoBackWhetherLoadedOrNot() throws {
    let context = try context()
    let first = insert(NSManagedObject.self, "Project", context)
    let second = insert(NSManagedObject.self, "Project", context)
    let person = insert(PersonMO.self, "Person", context)
    person.projects = [first]
    let tasks = (1...3).map { _ in insert(NSManagedObject.self, "Task", context) }
    person.tasks = tasks
    try context.save()
    context.refresh(person, mergeChanges: false)
    // Not loaded when it is changed, but loaded by the expectation.
    person.mutableSetValue(forKey: "projects").add(second)
    context.processPendingChanges()
    #expect(person.projects == [first, second])
    context.undo()
    #expect(person.projects == [first])
    #expect((second["members"] as? Set<PersonMO>)?.isEmpty == true)
    context.redo()
    #expect(person.projects == [first, second])
    person.tasks = [tasks[2], tasks[0]]
    context.processPendingChanges()
    #expect(tasks[1]["assignee"] == nil)
    context.undo()
    #expect(person.tasks == tasks)
    #expect(tasks[1]["assignee"] as? PersonMO === person)
    context.redo()
    #expect(person.tasks == [tasks[2], tasks[0]])
    // Loading between the start of an event and its change isn't a change.
    try context.save()
    context.refresh(person, mergeChanges: false)
    person.name = "x"
    _ = person.projects
    context.processPendingChanges()
    context.undo()
    #expect(person.projects == [first, second])
  }

  @Test func groupsAreTakenBackTogether() throws {
    let context = try context()
    let manager = try #require(context.undoManager)
    let person = insert(PersonMO.self, "Person", context)
    context.processPendingChanges()
    manager.beginUndoGrouping()
    person.name = "Ada"
    context.processPendingChanges()
    person.age = 36
    // Closing the group includes pending changes.
    manager.endUndoGrouping()
    manager.setActionName("Naming")
    #expect(manager.undoMenuItemTitle == "Undo Naming")
    context.undo()
    #expect(person.name == nil)
    #expect(person.age == 18)
    #expect(manager.redoMenuItemTitle == "Redo Naming")
    #expect(!manager.canUndo || manager.undoActionName.isEmpty)
    context.redo()
    #expect(person.name == "Ada")
    #expect(person.age == 36)
  }

  @Test func anEventIsAGroupUntilItIsOver() throws {
    let context = try context(groupsByEvent: true)
    let person = insert(PersonMO.self, "Person", context)
    context.processPendingChanges()
    person.name = "Ada"
    context.processPendingChanges()
    // The main queue didn't run in between, so both belong to one event.
    context.undo()
    #expect(person.managedObjectContext == nil)
  }

  @Test func aBlockOfPerformIsAnEvent() async throws {
    let context = try Company.container().newBackgroundContext()
    let person = await context.perform {
      context.undoManager = UndoManager()
      return Sent(insert(PersonMO.self, "Person", context))
    }
    await context.perform { person.value.name = "Ada" }
    await context.perform {
      context.undo()
      #expect(person.value.name == nil)
      #expect(person.value.managedObjectContext === context)
    }
  }

  @Test func registrationCanBeTurnedOff() throws {
    let context = try context()
    let manager = try #require(context.undoManager)
    let person = insert(PersonMO.self, "Person", context)
    context.processPendingChanges()
    manager.disableUndoRegistration()
    person.name = "Ada"
    context.processPendingChanges()
    manager.enableUndoRegistration()
    context.undo()
    #expect(person.managedObjectContext == nil)
    #expect(person.name == "Ada")
  }

  @Test func rollbackAndResetForgetTheStack() throws {
    let context = try context()
    let manager = try #require(context.undoManager)
    let person = insert(PersonMO.self, "Person", context)
    try context.save()
    #expect(manager.canUndo)
    person.name = "Ada"
    context.rollback()
    #expect(!manager.canUndo)
    person.name = "Eve"
    context.processPendingChanges()
    #expect(manager.canUndo)
    context.reset()
    #expect(!manager.canUndo)
  }

  @Test func levelsAreLimited() throws {
    let context = try context()
    let manager = try #require(context.undoManager)
    manager.levelsOfUndo = 2
    let person = insert(PersonMO.self, "Person", context)
    for name in ["a", "b", "c", "d"] {
      person.name = name
      context.processPendingChanges()
    }
    for _ in 0..<5 { context.undo() }
    #expect(person.name == "b")
  }

  @Test func objectsHearOfIt() throws {
    let context = try context()
    let entity = try #require(NSEntityDescription.entity(forEntityName: "Person", in: context))
    let person = WatchfulMO(entity: entity, insertInto: context)
    context.processPendingChanges()
    person["name"] = "Ada"
    context.undo()
    context.redo()
    try context.save()
    context.delete(person)
    context.processPendingChanges()
    context.undo()
    person["name"] = "Eve"
    context.rollback()
    #expect(person.heard == [.undoUpdate, .undoUpdate, .undoDeletion, .rollback])
  }

  @Test func whatHappensToDeletedObjectsInTheSameEventGoesBackToo() throws {
    let context = try context()
    let (leaving, staying) = (
      insert(PersonMO.self, "Person", context), insert(PersonMO.self, "Person", context)
    )
    let tasks = (1...3).map { _ in insert(NSManagedObject.self, "Task", context) }
    let project = insert(NSManagedObject.self, "Project", context)
    leaving.tasks = tasks
    leaving.projects = [project]
    try context.save()
    context.delete(leaving)
    // The deletion hasn't been propagated yet.
    staying.tasks = [tasks[1]]
    project.mutableSetValue(forKey: "members").remove(leaving)
    context.processPendingChanges()
    #expect(tasks.map(\.isDeleted) == [true, false, true])
    for _ in 0..<2 {
      context.undo()
      #expect(leaving.tasks == tasks)
      #expect(leaving.projects == [project])
      #expect(project["members"] as? Set<PersonMO> == [leaving])
      #expect(tasks.allSatisfy { $0["assignee"] as? PersonMO === leaving })
      #expect(staying.tasks.isEmpty)
      #expect(!context.hasChanges)
      context.redo()
      #expect(leaving.isDeleted)
      #expect(staying.tasks == [tasks[1]])
      #expect(tasks.map(\.isDeleted) == [true, false, true])
    }
  }

  @Test func takingBackAnInsertionTakesItsRelationshipsBack() throws {
    let context = try context()
    let person = insert(PersonMO.self, "Person", context)
    person.name = "Ada"
    try context.save()
    let acme = insert(CompanyMO.self, "Company", context)
    acme.name = "Acme"
    person.employer = acme
    try context.save()
    for _ in 0..<2 {
      context.undo()
      // No employees are left that could deny the deletion.
      #expect(acme.isDeleted)
      try context.save()
      #expect(person.employer == nil)
      #expect(try context.count(for: NSFetchRequest<CompanyMO>(entityName: "Company")) == 0)
      context.redo()
      #expect(acme.staff == [person])
      #expect(person.employer === acme)
      #expect(acme.name == "Acme")
      try context.save()
    }
    context.reset()
    let found = try context.fetch(NSFetchRequest<PersonMO>(entityName: "Person")).first
    #expect(found?.employer?.name == "Acme")
  }

  /// Another writer deletes an object that the undo stack would put back into a relationship.
  @Test func whatAnotherWriterDeletedDoesNotComeBack() throws {
    let folder = try TemporaryFolder()
    let coordinator = try Library.coordinator(folder.file("store.sqlite"))
    let (mine, theirs) = (TestStore.context(coordinator), TestStore.context(coordinator))
    let author = Library.new("Author", ["name": "Ada"], in: mine)
    let books = ["One", "Two"].map { title in
      Library.new("Book", ["title": title, "author": author], in: mine)
    }
    try mine.save()
    mine.undoManager = UndoManager()
    books[0]["author"] = nil
    author["name"] = "Eve"
    mine.processPendingChanges()
    try mine.save()
    theirs.delete(theirs.object(with: books[0].objectID))
    try theirs.save()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: [books[0].objectID]], into: [mine])
    mine.undo()
    mine.processPendingChanges()
    #expect(author["name"] as? String == "Ada")
    #expect((author["books"] as? Set<NSManagedObject>) == [books[1]])
    try mine.save()
    #expect(try StoreCheck.findings(at: folder.file("store.sqlite")) == [])
  }

  @Test(arguments: [false, true])
  func anOrderGoesBackThatWasNotLoaded(isLoadedBetween: Bool) throws {
    let context = try context()
    let person = insert(PersonMO.self, "Person", context)
    let tasks = (1...4).map { _ in insert(NSManagedObject.self, "Task", context) }
    person.tasks = tasks
    try context.save()
    context.refresh(person, mergeChanges: false)
    tasks[1]["assignee"] = nil
    context.processPendingChanges()
    if isLoadedBetween { #expect(person.tasks == [tasks[0], tasks[2], tasks[3]]) }
    context.undo()
    #expect(person.tasks == tasks)
    #expect(!context.hasChanges)
  }

  /// Random changes are undone step by step and redone, also with saves in between.
  @Test(arguments: 0..<60, [false, true])
  func randomChangesGoBackAndComeAgain(seed: UInt64, saves: Bool) throws {
    var numbers = seed
    func random(_ bound: Int) -> Int {
      numbers = numbers &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(numbers >> 33) % max(1, bound)
    }
    let context = try context()
    func all(_ entity: String) throws -> [NSManagedObject] {
      try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)).sorted {
        "\($0["name"] ?? "")" < "\($1["name"] ?? "")"
      }
    }
    func names(_ value: Any?) -> [String] {
      ((value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? [])
        .compactMap { ($0 as? NSManagedObject)?["name"] as? String }
    }
    func state() throws -> String {
      let people = try all("Person").map { person in
        let employer = (person["employer"] as? NSManagedObject)?["name"] ?? "-"
        return "\(person["name"] ?? "") \(person["age"] ?? "") \(employer) "
          + "\(names(person["projects"]).sorted()) \(names(person["tasks"]))"
      }
      let others = try ["Company", "Project", "Task"].flatMap { entity in
        try all(entity).map { "\($0["name"] ?? "")" }
      }
      let staff = try all("Company").map { names($0["staff"]).sorted() }
      let members = try all("Project").map { names($0["members"]).sorted() }
      return "\(people) \(others) \(staff) \(members)"
    }
    // Changed in every event, so that each has something to undo.
    let clock = insert(NSManagedObject.self, "Person", context)
    clock["name"] = "Clock"
    context.processPendingChanges()
    context.undoManager?.removeAllActions()
    var made = 0
    func change() throws {
      let people = try all("Person").filter { $0 !== clock }
      switch random(8) {
      case 0, 1:
        made += 1
        let entity = ["Person", "Person", "Company", "Project", "Task"][random(5)]
        insert(NSManagedObject.self, entity, context)["name"] = "\(entity) \(made)"
      case 2 where !people.isEmpty:
        let companies = try all("Company")
        people[random(people.count)]["employer"] =
          companies.isEmpty ? nil : companies[random(companies.count)]
      case 3 where !people.isEmpty:
        let projects = try all("Project").filter { _ in random(2) == 0 }
        people[random(people.count)]["projects"] = NSSet(array: projects)
      case 4 where !people.isEmpty:
        let tasks = try all("Task").filter { _ in random(2) == 0 }
        people[random(people.count)]["tasks"] = NSOrderedSet(array: tasks.reversed())
      case 5 where !people.isEmpty: people[random(people.count)]["age"] = random(90)
      case 6:
        // A company with staff can't be deleted.
        let objects = try all(["Person", "Project", "Task"][random(3)]).filter { $0 !== clock }
        if !objects.isEmpty { context.delete(objects[random(objects.count)]) }
      default:
        if let task = try all("Task").first { task["assignee"] = people.last }
      }
    }
    var states = [try state()]
    for time in 1...25 {
      for _ in 0...random(3) { try change() }
      clock["age"] = time
      context.processPendingChanges()
      states.append(try state())
      if random(4) == 0, saves { try context.save() }
    }
    for round in 0..<2 {
      for expected in states.dropLast().reversed() {
        context.undo()
        #expect(try state() == expected, "back, round \(round)")
        if random(6) == 0, saves { try context.save() }
      }
      for expected in states.dropFirst() {
        context.redo()
        #expect(try state() == expected, "again, round \(round)")
        if random(6) == 0, saves { try context.save() }
      }
    }
  }

  @Test func aManagerWorksForAnything() {
    final class Counter {
      let manager = UndoManager()
      var value = 0
      func add(_ number: Int) {
        value += number
        manager.registerUndo(withTarget: self) { $0.add(-number) }
      }
    }
    let counter = Counter()
    counter.manager.groupsByEvent = false
    for number in [1, 10] {
      counter.manager.beginUndoGrouping()
      counter.add(number)
      counter.manager.endUndoGrouping()
    }
    counter.manager.undo()
    #expect(counter.value == 1)
    counter.manager.redo()
    #expect(counter.value == 11)
    counter.manager.undo()
    counter.manager.undo()
    #expect(counter.value == 0)
    #expect(!counter.manager.canUndo)
    counter.manager.redo()
    #expect(counter.value == 1)
    counter.manager.beginUndoGrouping()
    counter.add(5)
    counter.manager.endUndoGrouping()
    #expect(!counter.manager.canRedo)
    counter.manager.removeAllActions(withTarget: counter)
    #expect(!counter.manager.canUndo)
  }
}

/// A person that records the events it receives.
final class WatchfulMO: NSManagedObject {
  var heard: [NSSnapshotEventType] = []
  override func awake(fromSnapshotEvents flags: NSSnapshotEventType) { heard.append(flags) }
}

/// An object passed between blocks of its context's queue.
struct Sent<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
