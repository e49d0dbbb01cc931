import CoreData
import Testing

/// Observers of a context, such as a form that enables its save button.
@Suite struct ContextObservingTests {
  private static let model: NSManagedObjectModel = {
    let (lamp, room) = (NSEntityDescription(), NSEntityDescription())
    (lamp.name, lamp.managedObjectClassName) = ("Lamp", "Lamp")
    (room.name, room.managedObjectClassName) = ("Room", "Room")
    let watts = NSAttributeDescription()
    (watts.name, watts.type, watts.isOptional) = ("watts", .integer64, true)
    let (up, down) = (NSRelationshipDescription(), NSRelationshipDescription())
    (up.name, up.destinationEntity, up.maxCount, up.inverseRelationship) = ("room", room, 1, down)
    (down.name, down.destinationEntity, down.inverseRelationship) = ("lamps", lamp, up)
    lamp.properties = [watts, up]
    room.properties = [down]
    let model = NSManagedObjectModel()
    model.entities = [lamp, room]
    return model
  }()

  private static let types: [NSManagedObjectContext.ConcurrencyType] = [.mainQueue, .privateQueue]

  private func makeContext(
    _ type: NSManagedObjectContext.ConcurrencyType
  ) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
    try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let context = NSManagedObjectContext(type)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  @MainActor @Test(arguments: types)
  func `each way to have changes and to have none is told of at once`(
    _ type: NSManagedObjectContext.ConcurrencyType
  ) throws {
    let context = try makeContext(type)
    try context.performAndWait {
      var told: [Bool] = []
      let token = context.observe(\.hasChanges, options: [.old, .new]) { context, change in
        #expect(change.oldValue == !context.hasChanges)
        #expect(change.newValue == context.hasChanges)
        told.append(context.hasChanges)
      }
      func expect(
        _ expected: [Bool], _ location: SourceLocation = #_sourceLocation,
        after change: () throws -> Void
      ) throws {
        told = []
        try change()
        #expect(told == expected, sourceLocation: location)
      }
      var lamp = Lamp(context: context)
      #expect(told == [true])
      try expect([]) { lamp.watts = 40 }
      try expect([false]) { try context.save() }
      try expect([true]) { lamp.watts = 60 }
      try expect([false]) { context.rollback() }
      try expect([true]) { lamp.setValue(60, forKey: "watts") }
      try expect([false]) { context.refresh(lamp, mergeChanges: false) }
      try expect([true]) { context.delete(lamp) }
      try expect([false]) { context.insert(lamp) }
      try expect([true]) { context.delete(lamp) }
      try expect([false]) { try context.save() }
      try expect([true]) { lamp = Lamp(context: context) }
      try expect([false]) { context.refresh(lamp, mergeChanges: false) }
      try expect([true]) { lamp = Lamp(context: context) }
      try expect([false]) { context.delete(lamp) }
      try expect([true]) { _ = Lamp(context: context) }
      try expect([false]) { context.reset() }
      token.invalidate()
      try expect([]) { _ = Lamp(context: context) }
    }
  }

  @Test func `an undo and a redo are told of`() throws {
    let context = try makeContext(.privateQueue)
    try context.performAndWait {
      let undoManager = UndoManager()
      undoManager.groupsByEvent = false
      let lamp = Lamp(context: context)
      try context.save()
      context.undoManager = undoManager
      var told: [Bool] = []
      let token = context.observe(\.hasChanges) { context, _ in told.append(context.hasChanges) }
      lamp.watts = 40
      context.processPendingChanges()
      context.undo()
      context.redo()
      context.undo()
      context.delete(lamp)
      context.processPendingChanges()
      context.undo()
      #expect(told == [true, false, true, false, true, false])
      token.invalidate()
    }
  }

  @Test func `the sets of unsaved objects are told of`() throws {
    let context = try makeContext(.privateQueue)
    try context.performAndWait {
      var told: [String] = []
      func note(_ name: String, _ objects: Set<NSManagedObject>?) {
        told.append("\(name) \(objects?.count ?? -1)")
      }
      let tokens = [
        context.observe(\.insertedObjects, options: .new) { note("inserted", $1.newValue) },
        context.observe(\.updatedObjects, options: .new) { note("updated", $1.newValue) },
        context.observe(\.deletedObjects, options: .new) { note("deleted", $1.newValue) },
      ]
      let (lamp, room) = (Lamp(context: context), Room(context: context))
      // Sets are compared when an event ends: not made for each of many changes.
      #expect(told == [])
      context.processPendingChanges()
      #expect(told == ["inserted 2"])
      try context.save()
      #expect(told.dropFirst() == ["inserted 0"])
      told = []
      // The other side of the relationship changes too.
      lamp.room = room
      context.processPendingChanges()
      #expect(told == ["updated 2"])
      told = []
      context.delete(lamp)
      context.processPendingChanges()
      #expect(Set(told) == ["updated 1", "deleted 1"])
      for token in tokens { token.invalidate() }
    }
  }

  @Test func `a parent has changes once a child is saved`() throws {
    let parent = try makeContext(.privateQueue)
    let child = NSManagedObjectContext(.privateQueue)
    child.parent = parent
    var told: [Bool] = []
    var token = parent.performAndWait {
      Optional(
        parent.observe(\.hasChanges, options: [.initial, .new]) {
          told += [$1.newValue ?? $0.hasChanges]
        }
      )
    }
    try child.performAndWait {
      _ = Lamp(context: child)
      try child.save()
    }
    #expect(told == [false, true])
    #expect(token != nil)
    token = nil
    try parent.performAndWait { try parent.save() }
    #expect(told == [false, true])
  }

  @Test func `an observer may save`() throws {
    let context = try makeContext(.privateQueue)
    try context.performAndWait {
      let lamp = Lamp(context: context)
      try context.save()
      let token = context.observe(\.hasChanges) { context, _ in
        if context.hasChanges { #expect(throws: Never.self) { try context.save() } }
      }
      lamp.watts = 40
      #expect(!context.hasChanges)
      context.refresh(lamp, mergeChanges: false)
      #expect(lamp.watts == 40)
      token.invalidate()
    }
  }

  private final class Button: KeyValueObserver {
    var isEnabled: Bool?

    func observeValue(
      forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
      context: UnsafeMutableRawPointer?
    ) {
      #expect(keyPath == "hasChanges")
      isEnabled = change?[.newKey] as? Bool
    }
  }

  @Test func `observers by name are told, too`() throws {
    let context = try makeContext(.privateQueue)
    context.performAndWait {
      let button = Button()
      context.addObserver(button, forKeyPath: "hasChanges", options: .new, context: nil)
      _ = Lamp(context: context)
      #expect(button.isEnabled == true)
      context.rollback()
      #expect(button.isEnabled == false)
      context.removeObserver(button, forKeyPath: "hasChanges")
      _ = Lamp(context: context)
      #expect(button.isEnabled == false)
    }
  }
}
