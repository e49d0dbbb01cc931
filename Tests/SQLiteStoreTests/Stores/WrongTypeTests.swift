import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import ManagedObjects
@testable import SQLiteStore

/// Columns that hold what their attributes never would: SQLite keeps any type in any column.
@Suite struct WrongTypeTests {
  private static let types: [(String, NSAttributeType)] = [
    ("int", .integer64AttributeType), ("real", .doubleAttributeType),
    ("flag", .booleanAttributeType), ("text", .stringAttributeType),
    ("date", .dateAttributeType), ("data", .binaryDataAttributeType),
    ("exact", .decimalAttributeType), ("uuid", .UUIDAttributeType), ("uri", .URIAttributeType),
  ]

  private func model() -> NSManagedObjectModel {
    let thing = NSEntityDescription()
    thing.name = "Thing"
    thing.managedObjectClassName = "Thing"
    let other = NSEntityDescription()
    other.name = "Other"
    let owner = NSRelationshipDescription()
    owner.name = "owner"
    owner.destinationEntity = thing
    owner.maxCount = 1
    thing.properties =
      Self.types.map { ScenarioTests.attribute($0.0, $0.1) } + [owner]
    other.properties = [ScenarioTests.attribute("name", .stringAttributeType)]
    let model = NSManagedObjectModel()
    model.entities = [thing, other]
    return model
  }

  @Test(arguments: [
    "'words'", "''", "-1", "9223372036854775807", "1e400", "-1e400", "x''", "x'FF00FE'",
    "x'\(String(repeating: "80", count: 200))'", "0.1", "NULL",
  ])
  func everyColumnReadsAsSomething(literal: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Things.sqlite")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    _ = Thing(context: context)
    try context.save()
    context.reset()
    let connection = try SQLiteConnection(writing: url, creation: .existing)
    let columns = Self.types.map { "Z\($0.0.uppercased()) = \(literal)" } + ["ZOWNER = \(literal)"]
    try connection.execute("UPDATE ZTHING SET \(columns.joined(separator: ", "))")

    let thing = try #require(try context.fetch(NSFetchRequest<Thing>(entityName: "Thing")).first)
    // By key and by type, optional or not: none of these may end the program.
    for (name, _) in Self.types { _ = thing.value(forKey: name) }
    _ = (thing.int, thing.real, thing.flag, thing.text, thing.date, thing.data, thing.exact)
    let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    #expect(thing.uuid == zero)
    _ = (thing.uri, thing.optionalUUID, thing.optionalURI, thing.optionalDate)
    #expect(thing.optionalUUID == nil)
    _ = thing.changedValues()
    _ = thing.committedValues(forKeys: nil)
    if let owner = thing.owner { _ = owner.text }
    // And it can be written again.
    thing.text = "mended"
    thing.owner = nil
    try context.save()
    #expect(try context.count(for: NSFetchRequest<Thing>(entityName: "Thing")) == 1)
  }
}

final class Thing: NSManagedObject {
  @Managed var int: Int64
  @Managed var real: Double
  @Managed var flag: Bool
  @Managed var text: String
  @Managed var date: Date
  @Managed var data: Data
  @Managed var exact: Decimal
  @Managed var uuid: UUID
  @Managed var uri: URL
  @Managed("uuid") var optionalUUID: UUID?
  @Managed("uri") var optionalURI: URL?
  @Managed("date") var optionalDate: Date?
  @Managed var owner: Thing?
}
