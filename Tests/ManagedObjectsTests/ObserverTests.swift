import DataModels
import Foundation
import StoreSupport
import Testing

@testable import ManagedObjects

/// Programs that change and save objects in observers.
@Suite struct ObserverTests {
  /// Observes a context's notifications until it is deallocated.
  private final class Listener {
    private let token: any NSObjectProtocol
    init(
      _ name: Notification.Name, _ context: NSManagedObjectContext,
      _ body: @escaping @Sendable (Notification) -> Void
    ) {
      token = NotificationCenter.default.addObserver(
        forName: name, object: context, queue: nil, using: body)
    }
    deinit { NotificationCenter.default.removeObserver(token) }
  }

  private final class Box<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  private func stored(_ context: NSManagedObjectContext) throws -> [String] {
    let reader = TestStore.context(context.persistentStoreCoordinator)
    return try reader.fetch(NSFetchRequest<PersonMO>(entityName: "Person")).map { $0.name ?? "" }
      .sorted()
  }

  private func person(_ name: String, _ context: NSManagedObjectContext) -> PersonMO {
    let person = insert(PersonMO.self, "Person", context)
    person.name = name
    return person
  }

  @Test func anObserverOfChangesStampsAndSaves() throws {
    let context = try Company.context()
    let rounds = Box(0)
    let listener = Listener(.NSManagedObjectContextObjectsDidChange, context) { note in
      rounds.value += 1
      // Its own save reports the stamp.
      guard rounds.value == 1 else { return }
      let inserted = note.userInfo?[NSInsertedObjectsKey] as? Set<PersonMO> ?? []
      for person in inserted { person.name = "stamped" }
      #expect(throws: Never.self) { try context.save() }
    }
    _ = person("a", context)
    context.processPendingChanges()
    #expect(!context.hasChanges)
    #expect(try stored(context) == ["stamped"])
    #expect(rounds.value == 2)
    withExtendedLifetime(listener) {}
  }

  @Test(arguments: [
    Notification.Name.NSManagedObjectContextWillSave, .NSManagedObjectContextObjectsDidChange,
  ])
  func aSaveInsideOfASaveIsAnError(name: Notification.Name) throws {
    let context = try Company.context()
    let codes = Box<[Int]>([])
    let listener = Listener(name, context) { _ in
      guard codes.value.isEmpty else { return }
      codes.value.append(0)
      _ = person("more", context)
      do { try context.save() } catch { codes.value = [(error as NSError).code] }
    }
    _ = person("a", context)
    try context.save()
    #expect(codes.value == [132_001])
    // The observer's changes are saved nevertheless.
    #expect(try stored(context) == ["a", "more"])
    #expect(!context.hasChanges)
    withExtendedLifetime(listener) {}
  }

  @Test(arguments: [false, true])
  func aSaveEndsTheEventWithNothingToSave(changes: Bool) throws {
    let context = try Company.context()
    let ada = person("Ada", context)
    try context.save()
    context.refresh(ada, mergeChanges: true)
    let refreshed = Box<Set<NSManagedObject>>([])
    let listener = Listener(.NSManagedObjectContextObjectsDidChange, context) { note in
      let objects = note.userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject> ?? []
      refreshed.value.formUnion(objects)
      if changes, !objects.isEmpty { (objects.first as? PersonMO)?.name = "Eve" }
    }
    try context.save()
    #expect(refreshed.value == [ada])
    #expect(try stored(context) == [changes ? "Eve" : "Ada"])
    withExtendedLifetime(listener) {}
  }

  @Test func whoHearsOfASaveMaySave() throws {
    let context = try Company.context()
    let rounds = Box(0)
    let listener = Listener(.NSManagedObjectContextDidSave, context) { _ in
      rounds.value += 1
      guard rounds.value < 3 else { return }
      _ = person("round \(rounds.value)", context)
      #expect(throws: Never.self) { try context.save() }
    }
    _ = person("a", context)
    try context.save()
    #expect(try stored(context) == ["a", "round 1", "round 2"])
    #expect(!context.hasChanges)
    // Changes that aren't saved there stay pending.
    let saves = Box(0)
    let other = Listener(.NSManagedObjectContextDidSave, context) { _ in
      saves.value += 1
      if saves.value == 1 { _ = person("late", context) }
    }
    _ = person("b", context)
    try context.save()
    #expect(context.hasChanges)
    try context.save()
    #expect(try stored(context).contains("late"))
    withExtendedLifetime((listener, other)) {}
  }

  /// The parent's observers run during the child's save.
  @Test func anObserverOfTheParentSavesIt() throws {
    let container = try Company.container()
    let parent = container.newBackgroundContext()
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    let code = Box(0)
    let listener = Listener(.NSManagedObjectContextObjectsDidChange, parent) { _ in
      #expect(throws: Never.self) { try parent.save() }
      do { try child.performAndWait { try child.save() } } catch {
        code.value = (error as NSError).code
      }
    }
    try child.performAndWait {
      _ = person("a", child)
      try child.save()
      #expect(!child.hasChanges)
    }
    #expect(code.value == 132_001)
    #expect(try stored(parent) == ["a"])
    withExtendedLifetime(listener) {}
  }

  /// Their changes aren't part of what was written.
  @Test func anObserverOfTheParentChangesTheChild() throws {
    let container = try Company.container()
    let parent = container.newBackgroundContext()
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    let object = Box<PersonMO?>(nil)
    let listener = Listener(.NSManagedObjectContextObjectsDidChange, parent) { _ in
      child.performAndWait { object.value?.name = "later" }
      object.value = nil
    }
    try child.performAndWait {
      let person = person("now", child)
      object.value = person
      try child.save()
      #expect(person.hasChanges)
      #expect(person.committedValues(forKeys: ["name"])["name"] as? String == "now")
      try child.save()
      #expect(!person.hasChanges)
    }
    try parent.performAndWait { try parent.save() }
    #expect(try stored(parent) == ["later"])
    withExtendedLifetime(listener) {}
  }

  /// A person whose validation corrects its name.
  @Test func whatObserversAddWhileValidationIsProcessedIsValidated() throws {
    let context = try Company.context()
    let mended = Box(false)
    let listener = Listener(.NSManagedObjectContextObjectsDidChange, context) { note in
      let updated = note.userInfo?[NSUpdatedObjectsKey] as? Set<PersonMO> ?? []
      guard !mended.value, updated.contains(where: { $0.name == "mended" }) else { return }
      mended.value = true
      // Without its mandatory name.
      _ = insert(CompanyMO.self, "Company", context)
    }
    let person = person("a", context)
    try context.save()
    person.name = PersonMO.nameToMend
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSValidationMissingMandatoryPropertyError)
    #expect(mended.value)
    withExtendedLifetime(listener) {}
  }

  // MARK: Rollback

  @Test func rollbackTellsWhatBecameOfObjects() throws {
    let context = try Company.context()
    let (kept, gone) = (person("kept", context), person("gone", context))
    try context.save()
    let told = Box<[String: Set<NSManagedObject>]>([:])
    let count = Box(0)
    let listener = Listener(.NSManagedObjectContextObjectsDidChange, context) { note in
      count.value += 1
      for (key, value) in note.userInfo ?? [:] {
        told.value[key as? String ?? ""] = value as? Set<NSManagedObject>
      }
    }
    let new = person("new", context)
    kept.name = "changed"
    context.delete(gone)
    context.processPendingChanges()
    told.value = [:]
    context.rollback()
    #expect(count.value == 2)
    #expect(
      told.value == [
        NSDeletedObjectsKey: [new], NSInsertedObjectsKey: [gone], NSRefreshedObjectsKey: [kept],
      ])
    context.rollback()
    context.processPendingChanges()
    #expect(count.value == 2)
    withExtendedLifetime(listener) {}
  }

  /// What a handler has captured goes with its observation, also after the object, and may end another one meanwhile.
  @Test(.timeLimit(.minutes(1))) func handlersGoWithTheirObservations() throws {
    final class Helper {
      var token: NSKeyValueObservation?
    }
    weak var helper: Helper?
    let context = try Company.context()
    let other = person("other", context)
    var token: NSKeyValueObservation?
    do {
      let made = Helper()
      made.token = other.observe(\PersonMO.name) { _, _ in }
      helper = made
      do {
        let gone = person("gone", context)
        token = gone.observe(\PersonMO.name) { [made] _, _ in _ = made.token }
      }
      context.rollback()
    }
    #expect(helper != nil)
    withExtendedLifetime(token) {}
    token = nil
    #expect(helper == nil)
  }
}
