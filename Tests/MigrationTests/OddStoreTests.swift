import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Stores as left behind by Core Data's own migrations, whose irregularities are no obstacle.
@Suite struct OddStoreTests {
  /// `Animal` with `Bird` and `Fish` below; `Keeper` in a many-to-many.
  private func model(_ change: (NSManagedObjectModel) -> Void = { _ in }) -> NSManagedObjectModel {
    let entities = ["Animal", "Bird", "Fish", "Keeper"].map { name in
      let entity = NSEntityDescription()
      entity.name = name
      entity.properties = [
        attribute("\(name.lowercased())Name", .stringAttributeType)
      ]
      return entity
    }
    entities[0].subentities = [entities[1], entities[2]]
    let (keepers, animals) = (NSRelationshipDescription(), NSRelationshipDescription())
    (keepers.name, animals.name) = ("keepers", "animals")
    (keepers.destinationEntity, animals.destinationEntity) = (entities[3], entities[0])
    link(keepers, animals)
    entities[0].properties.append(keepers)
    entities[3].properties.append(animals)
    let model = NSManagedObjectModel()
    model.entities = entities
    change(model)
    return model
  }

  private func index(_ entity: NSEntityDescription?, _ names: [String]) {
    let elements = names.compactMap { name in
      entity?.propertiesByName[name].map {
        NSFetchIndexElementDescription(property: $0, collationType: .binary)
      }
    }
    entity?.indexes = [NSFetchIndexDescription(name: "byName", elements: elements)]
  }

  private func edit(_ url: URL, _ statements: String...) throws {
    let connection = try SQLiteConnection(writing: url, creation: .existing)
    for statement in statements { try connection.execute(statement) }
  }

  /// Core Data writes the default of a subentity's new attribute into all rows of the table.
  @Test func siblingsMayHaveTheDefault() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Zoo.sqlite")
    let new = model {
      $0.entitiesByName["Bird"]?.properties += [
        attribute("eggs", .integer32AttributeType, default: 4),
        attribute("song", .stringAttributeType, default: "it's"),
      ]
    }
    try TestStore.make(url, new)
    try edit(url, "UPDATE ZANIMAL SET ZEGGS = 4, ZSONG = 'it''s' WHERE ZEGGS IS NULL")
    #expect(try StoreCheck.findings(at: url, model: new) == [])
    try edit(url, "UPDATE ZANIMAL SET ZEGGS = 5 WHERE ZFISHNAME IS NOT NULL")
    #expect(try StoreCheck.findings(at: url, model: new).map(\.rule) == [.foreignValue])
    try edit(url, "UPDATE ZANIMAL SET ZEGGS = 4 WHERE ZEGGS = 5")
    // They remain harmless, and disappear when the table is rebuilt.
    let before = try StoreSnapshot(url, new)
    let third = model {
      $0.entitiesByName["Bird"]?.properties += [
        attribute("eggs", .integer32AttributeType, default: 4),
        attribute("song", .stringAttributeType, default: "it's"),
      ]
      $0.entitiesByName["Fish"]?.properties.append(
        attribute("fins", .integer16AttributeType))
    }
    try TestStore.migrate(url, to: third)
    let comparison = MigrationComparison(before, new, try StoreSnapshot(url, third), third)
    #expect(comparison.differences == [])
    #expect(try StoreCheck.findings(at: url, model: third) == [])
  }

  /// To SQL the quotation marks in it are some, to Swift they are parts of other characters.
  @Test func defaultsMayHaveMarksBehindQuotationMarks() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    let text = "ג'\u{5B4}ירפה '\u{301}"
    let new = EventModels.model { model in
      model.entitiesByName["Location"]?.properties.append(
        attribute("label", .stringAttributeType, optional: false, default: text))
    }
    try TestStore.make(url, EventModels.model())
    try TestStore.migrate(url, to: new)
    let context = try TestStore.open(url, new)
    let locations = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Location"))
    #expect(!locations.isEmpty)
    for location in locations { #expect(location["label"] as? String == text) }
    try TestStore.close(context)
  }

  /// Names from older systems, quotes of renamed tables, join tables with old numbers, old names of renamed entities:
  /// none of these prevents a migration.
  @Test func oldNamesAreNoObstacle() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Zoo.sqlite")
    let old = model { index($0.entitiesByName["Animal"], ["animalName"]) }
    try TestStore.make(url, old)
    let schema = try StoreSchema(model: old)
    let join = try #require(schema.joinTables.first)
    try edit(
      url, "CREATE INDEX ZANIMAL_ZANIMALNAME_INDEX ON ZANIMAL (ZANIMALNAME)",
      "CREATE INDEX Z_77KEEPERS_Z_88KEEPERS_INDEX ON \(join.name) (\(join.ownerKey))",
      // An index that a later step wants to create exists already, in different case.
      "CREATE INDEX z_bird_BYNAME ON ZANIMAL (ZANIMALNAME)",
      "ALTER TABLE ZKEEPER RENAME TO OTHER", "ALTER TABLE OTHER RENAME TO ZKEEPER",
      "ALTER TABLE \(join.name) RENAME TO OTHER", "ALTER TABLE OTHER RENAME TO \(join.name)",
      "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Warden' WHERE Z_NAME = 'Keeper'")
    let before = try StoreSnapshot(url, old)
    // A newer momc lists inherited indexes in each subentity.
    let listed = model { model in
      for name in ["Animal", "Bird", "Fish"] {
        index(model.entitiesByName[name], ["animalName"])
      }
      model.entitiesByName["Keeper"]?.properties.append(
        attribute("shift", .integer16AttributeType, default: 1))
    }
    try TestStore.migrate(url, to: listed)
    #expect(
      MigrationComparison(before, old, try StoreSnapshot(url, listed), listed).differences == [])
    #expect(try StoreCheck.findings(at: url, model: listed) == [])
    let connection = try SQLiteConnection.reading(url)
    for name in ["Z_Animal_byName", "Z_Bird_byName", "Z_Fish_byName"] {
      #expect(
        try connection.integer(
          "SELECT count(*) FROM sqlite_master WHERE type = 'index' AND name LIKE '\(name)'") == 1)
    }
    // Everything is renumbered and remade.
    let renumbered = model { model in
      let first = entity("AAFirst")
      model.entities.append(first)
      model.entitiesByName["Keeper"]?.renamingIdentifier = "Keeper"
      model.entitiesByName["Keeper"]?.name = "Guard"
    }
    let middle = try StoreSnapshot(url, listed)
    try TestStore.migrate(url, to: renumbered)
    let after = try StoreSnapshot(url, renumbered)
    #expect(MigrationComparison(middle, listed, after, renumbered).differences == [])
    #expect(try StoreCheck.findings(at: url, model: renumbered) == [])
  }

  /// The model of the store is in no bundle: its own copy suffices. Versions can be chained.
  @Test func versionsChainByTheStoresOwnModels() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Zoo.data")
    func version(_ number: Int) -> NSManagedObjectModel {
      model { model in
        for index in 0..<number {
          model.entitiesByName["Keeper"]?.properties.append(
            attribute("note\(index)", .stringAttributeType, default: "\(index)"))
        }
        let name = model.entitiesByName["Bird"]?.attributesByName["birdName"]
        if number > 0 {
          name?.name = "name\(number)"
          name?.renamingIdentifier = number == 1 ? "birdName" : "name\(number - 1)"
        }
      }
    }
    try TestStore.make(url, version(0))
    for number in 1...4 {
      let before = try StoreSnapshot(url, version(number - 1))
      try TestStore.migrate(url, to: version(number))
      let after = try StoreSnapshot(url, version(number))
      let comparison = MigrationComparison(before, version(number - 1), after, version(number))
      #expect(comparison.differences == [])
    }
    #expect(try StoreCheck.findings(at: url, model: version(4)) == [])
  }

  // MARK: The program's triggers

  @Test func triggersOfJoinTablesStay() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Zoo.sqlite")
    let old = model()
    try TestStore.make(url, old, isEmpty: true)
    let join = try #require(try StoreSchema(model: old).joinTables.first)
    do {
      let connection = try SQLiteConnection(writing: url, creation: .existing)
      try connection.execute(
        "CREATE TABLE notes (text); "
          + "CREATE TRIGGER my_added AFTER INSERT ON \(join.name) BEGIN "
          + "INSERT INTO notes VALUES (NEW.\(join.ownerKey)); END; "
          + "CREATE TRIGGER my_removed AFTER DELETE ON \(join.name) BEGIN "
          + "INSERT INTO notes VALUES (OLD.gone); END; "
          + "CREATE TRIGGER my_named AFTER UPDATE OF ZKEEPERNAME ON ZKEEPER BEGIN "
          + "INSERT INTO notes VALUES (OLD.ZANIMALNAME); END")
    }
    // With a new entity before them, all tables are made anew.
    let new = model { $0.entities.append(entity("Aquarium", [attribute("size")])) }
    try TestStore.migrate(url, to: new)
    let connection = try SQLiteConnection.reading(url)
    let names = try connection.text(
      "SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_master "
        + "WHERE type = 'trigger' AND name LIKE 'my%' ORDER BY name)")
    #expect(names == "my_added")
    let context = try TestStore.open(url, new)
    let keeper = NSEntityDescription.insertNewObject(forEntityName: "Keeper", into: context)
    let bird = NSEntityDescription.insertNewObject(forEntityName: "Bird", into: context)
    keeper["animals"] = Set([bird])
    try context.save()
    try TestStore.close(context)
    #expect(
      try SQLiteConnection.reading(url).integer("SELECT count(*) FROM notes WHERE text = 1") == 1)
  }
}
