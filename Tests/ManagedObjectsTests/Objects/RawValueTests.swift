import DataModels
import Foundation
import Testing

@testable import ManagedObjects

/// Managed properties with raw values, and with types that don't match the attribute's.
@Suite struct RawValueTests {
  init() { Ticket.register() }

  private func context() throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Ticket.model)
    try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    return SmallModel.context(coordinator)
  }

  @Test func enumerationsGoByTheirRawValues() throws {
    let context = try context()
    let ticket = Ticket(context: context)
    #expect(ticket.level == .low && ticket.mood == nil && ticket.flags == [])
    ticket.level = .high
    ticket.mood = .open
    ticket.flags = [.urgent, .mine]
    ticket.small = 200
    #expect(ticket.value(forKey: "level") as? Int16 == 7)
    #expect(ticket.value(forKey: "mood") as? String == "open")
    try context.save()
    context.reset()
    let read = try #require(
      try context.fetch(NSFetchRequest<Ticket>(entityName: "Ticket")).first)
    #expect(read.level == .high && read.mood == .open && read.flags == [.urgent, .mine])
    #expect(read.small == 200)
    read.mood = nil
    #expect(read.value(forKey: "mood") == nil)
    read.setValue("unknown", forKey: "mood")
    #expect(read.mood == nil)
    #expect(KeyPathRecorder.name(of: \Ticket.level) == "level")
    #expect(KeyPathRecorder.name(of: \Ticket.mood) == "mood")
  }

  @Test func accessorsKnowThemToo() throws {
    let ticket = Ticket(context: try context())
    ticket.setManaged(Ticket.Level.high, "level")
    let level: Ticket.Level = ticket.managed("level")
    #expect(level == .high)
    ticket.setManaged(Ticket.Mood?.some(.open), "mood")
    let mood: Ticket.Mood? = ticket.managed("mood")
    #expect(mood == .open)
  }

  @Test func primitiveAccessorsKnowThemToo() throws {
    let ticket = Ticket(context: try context())
    let none: Ticket.Mood? = ticket.managedPrimitive("mood")
    let low: Ticket.Level = ticket.managedPrimitive("level")
    #expect(none == nil && low == .low)
    ticket.setManagedPrimitive(Ticket.Level.high, "level")
    ticket.setManagedPrimitive(Ticket.Flags.mine, "flags")
    ticket.setManagedPrimitive(Ticket.Mood?.some(.open), "mood")
    let level: Ticket.Level = ticket.managedPrimitive("level")
    let flags: Ticket.Flags = ticket.managedPrimitive("flags")
    let mood: Ticket.Mood? = ticket.managedPrimitive("mood")
    #expect(level == .high && flags == .mine && mood == .open)
    #expect(ticket.level == .high && ticket.value(forKey: "mood") as? String == "open")
    ticket.setManagedPrimitive(Ticket.Mood?.none, "mood")
    #expect(ticket.mood == nil)
  }

  @Test func numbersAndUntypedValuesConvert() throws {
    let ticket = Ticket(context: try context())
    ticket.setValue(Decimal(string: "2.5"), forKey: "price")
    #expect(ticket.price == 2.5)
    ticket.setValue("kept", forKey: "anything")
    #expect(ticket.anything == "kept")
  }

  /// A number outside an integer attribute's range is reduced modulo its width at once, and validation doesn't report
  /// it, as in Core Data.
  @Test func integersWrap() throws {
    let context = try context()
    let ticket = Ticket(context: context)
    ticket.setValue(40000, forKey: "level")
    #expect(ticket.value(forKey: "level") as? Int == -25536)
    ticket.setValue(7.9, forKey: "level")
    #expect(ticket.level == .high)
    try context.save()
  }

  @Test func anotherTypesValueTraps() async {
    await #expect(processExitsWith: .failure) { try RawValueTests.read { _ = $0.textOfNumber } }
    await #expect(processExitsWith: .failure) { try RawValueTests.read { _ = $0.numberOfText } }
    await #expect(processExitsWith: .failure) {
      try RawValueTests.read {
        $0.setValue(3, forKey: "level")
        _ = $0.level
      }
    }
    await #expect(processExitsWith: .success) { try RawValueTests.read { _ = $0.level } }
  }

  private static func read(_ body: (Ticket) -> Void) throws {
    Ticket.register()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Ticket.model)
    try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let context = SmallModel.context(coordinator)
    let ticket = Ticket(context: context)
    ticket.setValue("text", forKey: "mood")
    ticket.setValue(5, forKey: "number")
    body(ticket)
    withExtendedLifetime(context) {}
  }
}

final class Ticket: NSManagedObject {
  enum Level: Int16, CaseIterable, ManagedPropertyValue {
    case low = 0
    case high = 7
  }

  enum Mood: String, ManagedPropertyValue { case open, closed }

  struct Flags: OptionSet, ManagedPropertyValue {
    let rawValue: Int32
    static let urgent = Flags(rawValue: 1)
    static let mine = Flags(rawValue: 4)
  }

  @Managed var level: Level
  @Managed var mood: Mood?
  @Managed var flags: Flags
  @Managed var small: UInt8
  @Managed var price: Double
  @Managed var anything: String
  @Managed("number") var textOfNumber: String?
  @Managed("mood") var numberOfText: Int

  static let model: NSManagedObjectModel = {
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
      return attribute
    }
    let anything = attribute("anything", .undefinedAttributeType)
    anything.isTransient = true
    let entity = SmallModel.entity(
      "Ticket",
      [
        attribute("level", .integer16AttributeType), attribute("mood", .stringAttributeType),
        attribute("flags", .integer32AttributeType), attribute("small", .integer16AttributeType),
        attribute("price", .decimalAttributeType), attribute("number", .integer32AttributeType),
        anything,
      ])
    entity.managedObjectClassName = ManagedObjects.NSStringFromClass(Ticket.self)
    return SmallModel.model(entity)
  }()
}
