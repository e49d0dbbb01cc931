import DataModels
import Foundation
import ModelEvolution
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Derived attributes and R-trees of stores that are migrated where they are.
@Suite struct DerivedMigrationTests {
  private func derived(
    _ name: String, _ type: NSAttributeType, _ format: String
  ) -> NSDerivedAttributeDescription {
    let attribute = NSDerivedAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = true
    attribute.derivationExpression = PredicateFormat.NSExpression(format: format)
    return attribute
  }

  private func value(_ key: String, of entity: String, _ context: NSManagedObjectContext) throws
    -> Double?
  {
    try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)).first?[key] as? Double
  }

  // MARK: Values derived from derived values

  /// Area ←→> Customer ←→> Order ←→> Line: sums of sums, and back to the lines.
  private func shop(isDerived: Bool, factor: String = "price") -> NSManagedObjectModel {
    let names = ["Area", "Customer", "Order", "Line"]
    let entities = names.map { entity($0) }
    for (one, many) in zip(entities, entities.dropFirst()) {
      let (members, owner) = (
        relationship("members", to: many), relationship("owner", to: one, max: 1)
      )
      link(members, owner)
      one.properties.append(members)
      many.properties.append(owner)
    }
    entities[3].properties += ["price", "weight"].map { attribute($0, .doubleAttributeType) }
    guard isDerived else { return NSManagedObjectModel(of: entities) }
    // The names are against the order, too.
    entities[0].properties += [
      derived("amount", .doubleAttributeType, "members.@sum.spent"),
      derived("again", .doubleAttributeType, "amount"),
    ]
    entities[1].properties.append(derived("spent", .doubleAttributeType, "members.@sum.total"))
    entities[2].properties += [
      derived("total", .doubleAttributeType, "members.@sum.\(factor)"),
      derived("share", .doubleAttributeType, "owner.spent"),
    ]
    entities[3].properties.append(
      derived("ofAll", .doubleAttributeType, "owner.owner.owner.amount"))
    return NSManagedObjectModel(of: entities)
  }

  @Test func valuesAreDerivedInTheirOrder() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Shop.sqlite")
    let context = try TestStore.open(url, shop(isDerived: false))
    var owner: NSManagedObject?
    for name in ["Area", "Customer", "Order"] {
      let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
      if let owner { object["owner"] = owner }
      owner = object
    }
    for price in [1.5, 2] {
      let line = NSEntityDescription.insertNewObject(forEntityName: "Line", into: context)
      (line["owner"], line["price"], line["weight"]) = (owner, price, 10 * price)
    }
    try context.save()
    try TestStore.close(context)
    // New, and with another derivation of the innermost only.
    for (factor, sum) in [("price", 3.5), ("weight", 35)] {
      let model = shop(isDerived: true, factor: factor)
      try TestStore.migrate(url, to: model)
      let context = try TestStore.open(url, model)
      for (entity, key) in [
        ("Order", "total"), ("Customer", "spent"), ("Area", "amount"), ("Area", "again"),
        ("Order", "share"), ("Line", "ofAll"),
      ] { #expect(try value(key, of: entity, context) == sum, "\(entity).\(key)") }
      try TestStore.close(context)
    }
  }

  /// A value may be derived from the same attribute of another row.
  @Test func valuesDerivedFromThemselvesAreFilledOnce() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Tree.sqlite")
    func model(_ isDerived: Bool) -> NSManagedObjectModel {
      let node = entity("Node", [attribute("name", .stringAttributeType)])
      let (children, parent) = (
        relationship("children", to: node), relationship("parent", to: node, max: 1)
      )
      link(children, parent)
      node.properties += [children, parent]
      if isDerived {
        node.properties.append(derived("sum", .doubleAttributeType, "children.@sum.sum"))
      }
      return NSManagedObjectModel(of: [node])
    }
    try TestStore.make(url, model(false))
    try TestStore.migrate(url, to: model(true))
    let context = try TestStore.open(url, model(true))
    #expect(try value("sum", of: "Node", context) == 0)
    try TestStore.close(context)
  }

  // MARK: Paths that return to the row's table

  /// Songs and artists share a table; departments lead from employees to others.
  private func returning(isNew: Bool) -> NSManagedObjectModel {
    let base = entity("Base", [attribute("name", .stringAttributeType)])
    base.isAbstract = true
    let (artist, song) = (entity("Artist"), entity("Song"))
    base.subentities = [artist, song]
    song.properties = [
      relationship("artist", to: artist, max: 1),
      derived("shouted", .stringAttributeType, "uppercase:(artist.name)"),
    ]
    let (employee, department) = (entity("Employee"), entity("Department"))
    employee.properties = [
      attribute("name", .stringAttributeType), relationship("department", to: department, max: 1),
      relationship("mentor", to: employee, max: 1),
      derived("chief", .stringAttributeType, "department.manager.name"),
      derived("guide", .stringAttributeType, "lowercase:(mentor.name)"),
    ]
    department.properties = [relationship("manager", to: employee, max: 1)]
    if isNew {
      for entity in [base, employee] {
        entity.properties.append(attribute("note", .stringAttributeType))
      }
    }
    return NSManagedObjectModel(of: [base, artist, song, employee, department])
  }

  /// Where the store is, by a copy, and object by object.
  @Test(arguments: [nil, true, false] as [Bool?])
  func pathsMayReturnToTheTableOfTheRow(copies: Bool?) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Old.sqlite")
    let context = try TestStore.open(url, returning(isNew: false))
    func insert(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
      let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
      for (key, value) in values { object[key] = value }
      return object
    }
    for name in ["Ann", "Bob"] {
      _ = insert("Song", ["name": "by \(name)", "artist": insert("Artist", ["name": name])])
      let department = insert("Department", [:])
      let chief = insert("Employee", ["name": name, "department": department])
      department["manager"] = chief
      _ = insert("Employee", ["name": "of \(name)", "department": department, "mentor": chief])
    }
    try context.save()
    try TestStore.close(context)
    let new = returning(isNew: true)
    var migrated = url
    if let copies {
      let old = returning(isNew: false)
      let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
      manager.usesStoreSpecificMigrationManager = copies
      migrated = folder.file("New.sqlite")
      try manager.migrateStore(
        from: url, type: .sqlite, options: nil,
        mapping: try NSMappingModel.inferredMappingModel(
          forSourceModel: old, destinationModel: new),
        to: migrated, type: .sqlite, options: nil)
    } else {
      try TestStore.migrate(url, to: new)
    }
    let reader = try TestStore.open(migrated, new)
    func values(_ key: String, of entity: String) throws -> [String: String] {
      let objects = try reader.fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
      return objects.reduce(into: [:]) { values, object in
        guard let name = object["name"] as? String else { return }
        values[name] = object[key] as? String
      }
    }
    #expect(try values("shouted", of: "Song") == ["by Ann": "ANN", "by Bob": "BOB"])
    #expect(
      try values("chief", of: "Employee")
        == ["Ann": "Ann", "of Ann": "Ann", "Bob": "Bob", "of Bob": "Bob"])
    #expect(try values("guide", of: "Employee") == ["of Ann": "ann", "of Bob": "bob"])
    try TestStore.close(reader)
  }

  // MARK: Relationships that are their own inverses

  /// Of a pair that isn't there in both directions, both are members.
  @Test func membersInOneDirectionAreCounted() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("People.sqlite")
    func model(_ isCounted: Bool) -> NSManagedObjectModel {
      let person = entity("Person", [attribute("name", .stringAttributeType)])
      let friends = relationship("friends", to: person)
      link(friends, friends)
      person.properties.append(friends)
      if isCounted {
        (friends.isOptional, friends.minCount) = (false, 1)
        person.properties.append(derived("friendCount", .integer64AttributeType, "friends.@count"))
      }
      return NSManagedObjectModel(of: [person])
    }
    let context = try TestStore.open(url, model(false))
    let people = (0..<3).map { _ in
      NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
    }
    people[0]["friends"] = Set(people.dropFirst())
    try context.save()
    try TestStore.close(context)
    let join = try #require(try StoreSchema(model: model(false)).joinTables.first)
    let connection = try SQLiteConnection(writing: url, creation: .existing)
    try connection.execute("DELETE FROM \(join.name) WHERE \(join.ownerKey) > \(join.inverseKey)")
    #expect(try connection.integer("SELECT count(*) FROM \(join.name)") == 2)
    try TestStore.migrate(url, to: model(true))
    let migrated = try TestStore.open(url, model(true))
    for person in try migrated.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")) {
      let friends = person["friends"] as? Set<NSManagedObject>
      #expect(person["friendCount"] as? Int == friends?.count)
      #expect([1, 2].contains(friends?.count))
    }
    try TestStore.close(migrated)
  }

  // MARK: R-trees

  private func places(hasTree: Bool, _ change: (NSManagedObjectModel) -> Void = { _ in })
    -> NSManagedObjectModel
  {
    let coordinates = ["latitude", "longitude"].map { attribute($0, .doubleAttributeType) }
    let (place, visit) = (entity("Place", coordinates), entity("Visit"))
    visit.properties = [attribute("day", .dateAttributeType)]
    if hasTree {
      place.indexes = [
        NSFetchIndexDescription(
          name: "byPlace",
          elements: coordinates.map {
            NSFetchIndexElementDescription(property: $0, collationType: .rTree)
          })
      ]
    }
    let model = NSManagedObjectModel(of: [place, visit])
    change(model)
    return model
  }

  /// Indexes aren't hashed: the model found for a store may be that of the version before its R-tree.
  @Test(arguments: [true, false], ["Place", "Visit"])
  func treesThatTheOldModelDoesntHaveAreNoObstacle(hasTree: Bool, changed: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Places.sqlite")
    let (old, stored) = (places(hasTree: false), places(hasTree: true))
    #expect(old.entityVersionHashesByName == stored.entityVersionHashesByName)
    try TestStore.make(url, stored)
    let new = places(hasTree: hasTree) { model in
      model.entitiesByName[changed]?.properties.append(attribute("label", .stringAttributeType))
    }
    try TestStore.migrate(
      url, to: new,
      options: TestStore.migrating.merging([MomKitMigrationSourceModelOption: old]) { $1 })
    let connection = try SQLiteConnection.reading(url)
    // The virtual table, its three tables and its three triggers.
    #expect(
      try connection.integer(
        "SELECT count(*) FROM sqlite_master WHERE name LIKE 'Z_Place_byPlace%'")
        == (hasTree ? 7 : 0))
    let context = try TestStore.open(url, new)
    let place = NSEntityDescription.insertNewObject(forEntityName: "Place", into: context)
    (place["latitude"], place["longitude"]) = (48.4, 10.0)
    try context.save()
    try TestStore.close(context)
    if hasTree {
      #expect(
        try connection.integer("SELECT count(*) FROM Z_Place_byPlace")
          == connection.integer(
            "SELECT count(*) FROM ZPLACE WHERE ZLATITUDE NOT NULL AND ZLONGITUDE NOT NULL"))
    }
    #expect(try StoreChecker(url, model: new).findings() == [])
  }
}
