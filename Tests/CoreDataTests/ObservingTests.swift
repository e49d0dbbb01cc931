import CoreData
import Testing

final class Lamp: NSManagedObject {
  @Managed var watts: Int64
  @Managed var place: String?
  @Managed var room: Room?
}

final class Room: NSManagedObject {
  @Managed var lamps: Set<Lamp>
}

@Suite struct ObservingTests {
  private let context: NSManagedObjectContext

  init() throws {
    let (lamp, room) = (NSEntityDescription(), NSEntityDescription())
    (lamp.name, lamp.managedObjectClassName) = ("Lamp", "Lamp")
    (room.name, room.managedObjectClassName) = ("Room", "Room")
    let (watts, place) = (NSAttributeDescription(), NSAttributeDescription())
    (watts.name, watts.type, watts.isOptional) = ("watts", .integer64, true)
    (place.name, place.type, place.isOptional) = ("place", .string, true)
    let (up, down) = (NSRelationshipDescription(), NSRelationshipDescription())
    (up.name, up.destinationEntity, up.maxCount, up.inverseRelationship) = ("room", room, 1, down)
    (down.name, down.destinationEntity, down.inverseRelationship) = ("lamps", lamp, up)
    lamp.properties = [watts, place, up]
    room.properties = [down]
    let model = NSManagedObjectModel()
    model.entities = [lamp, room]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
  }

  @Test func `an observer is told of each change of its property alone`() {
    context.performAndWait {
      let (lamp, other) = (Lamp(context: context), Lamp(context: context))
      var told: [[Int64?]] = []
      let token = lamp.observe(\.watts, options: [.old, .new]) { lamp, change in
        told.append([change.oldValue, change.newValue, lamp.watts])
      }
      lamp.watts = 40
      lamp.place = "desk"
      lamp.watts = 40
      other.watts = 1
      lamp.setValue(60, forKey: "watts")
      #expect(told == [[0, 40, 40], [40, 60, 60]])
      token.invalidate()
      lamp.watts = 5
      #expect(told.count == 2)
    }
  }

  @Test func `a relationship that is set is told of once`() {
    context.performAndWait {
      let room = Room(context: context)
      let lamps = (0..<4).map { _ in Lamp(context: context) }
      room.lamps = [lamps[0], lamps[1]]
      var counts: [Int] = []
      let token = room.observe(\.lamps) { room, _ in counts.append(room.lamps.count) }
      room.lamps = [lamps[1], lamps[2], lamps[3]]
      room.lamps = []
      #expect(counts == [3, 0])
      token.invalidate()
    }
  }

  @Test func `the other side of a relationship is told of`() {
    context.performAndWait {
      let (lamp, room) = (Lamp(context: context), Room(context: context))
      var counts: [Int] = []
      var rooms: [Room?] = []
      let tokens = [
        room.observe(\.lamps) { room, _ in counts.append(room.lamps.count) },
        lamp.observe(\.room) { lamp, _ in rooms.append(lamp.room) },
      ]
      lamp.room = room
      room.lamps = []
      #expect(counts == [1, 0])
      #expect(rooms == [room, nil])
      withExtendedLifetime(tokens) {}
    }
  }

  @Test func `primitive values are set in silence, until didChangeValue`() {
    context.performAndWait {
      let lamp = Lamp(context: context)
      var count = 0
      let token = lamp.observe(\.place, options: .initial) { _, _ in count += 1 }
      #expect(count == 1)
      lamp.willChangeValue(forKey: "place")
      lamp.setPrimitiveValue("shelf", forKey: "place")
      #expect(count == 1)
      lamp.didChangeValue(forKey: "place")
      #expect(count == 2)
      withExtendedLifetime(token) {}
    }
  }

  @Test func `observers are called by the method that Objective-C calls`() {
    // Like test cases, not an NSObject.
    final class Watcher: KeyValueObserver {
      var told: [String] = []
      func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
      ) {
        told.append(
          "\(keyPath ?? "") \(change?[.oldKey] ?? "") \(change?[.newKey] ?? "") \(context == nil)")
      }
    }
    context.performAndWait {
      let (lamp, watcher) = (Lamp(context: context), Watcher())
      lamp.addObserver(watcher, forKeyPath: "watts", options: [.old, .new], context: nil)
      lamp.addObserver(watcher, forKeyPath: "place", options: .new, context: nil)
      lamp.watts = 3
      lamp.place = "hall"
      #expect(watcher.told == ["watts <null> 3 true", "place  hall true"])
      lamp.removeObserver(watcher, forKeyPath: "watts")
      lamp.watts = 4
      lamp.removeObserver(watcher, forKeyPath: "place", context: nil)
      lamp.place = nil
      #expect(watcher.told.count == 2)
    }
  }

  @Test func `an observation ends with its token, and keeps no object`() {
    context.performAndWait {
      let lamp = Lamp(context: context)
      var count = 0
      var token: NSKeyValueObservation? = lamp.observe(\.watts) { _, _ in count += 1 }
      lamp.watts = 1
      token = nil
      lamp.watts = 2
      #expect(count == 1 && token == nil)
      weak var gone: Lamp?
      do {
        let entity = lamp.entity
        let alone = Lamp(entity: entity, insertInto: nil)
        gone = alone
        token = alone.observe(\.watts) { _, _ in count += 1 }
        alone.watts = 3
        #expect(count == 2)
      }
      #expect(gone == nil)
      token?.invalidate()
    }
  }

  @Test func `how far work is can be observed`() async throws {
    let progress = Progress(totalUnitCount: 4)
    let changes = AsyncStream<Int64>.makeStream()
    let token = progress.observe(\.completedUnitCount, options: .new) { _, change in
      if let value = change.newValue { changes.continuation.yield(value) }
    }
    progress.completedUnitCount = 4
    for await value in changes.stream where value == 4 { break }
    token.invalidate()
  }
}
