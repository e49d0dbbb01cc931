import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Undo across saves in a file.
@Suite struct StoredUndoTests {
  private func model() -> NSManagedObjectModel {
    let (person, team, tag) = (entity("Person"), entity("Team"), entity("Tag"))
    let (teamOf, members) = (
      relationship("team", to: team, max: 1),
      relationship("members", to: person, max: 0, ordered: true)
    )
    let (tags, people) = (
      relationship("tags", to: tag, max: 0), relationship("people", to: person, max: 0)
    )
    link(teamOf, members)
    link(tags, people)
    let name = { attribute("name", .stringAttributeType) }
    person.properties = [name(), teamOf, tags]
    team.properties = [name(), members]
    tag.properties = [name(), people]
    return NSManagedObjectModel(of: [person, team, tag])
  }

  private func open(
    _ url: URL, _ model: NSManagedObjectModel
  ) throws -> NSManagedObjectContext {
    return try TestStore.open(url, model)
  }

  /// The contents of the store in one line.
  private func state(_ url: URL, _ model: NSManagedObjectModel) throws -> String {
    let context = try open(url, model)
    let people = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
    return people.map { person in
      let tags = (person["tags"] as? Set<NSManagedObject> ?? []).compactMap {
        $0["name"] as? String
      }
      let members = ((person["team"] as? NSManagedObject)?["members"] as? NSOrderedSet)?.array
      let order = members?.compactMap { ($0 as? NSManagedObject)?["name"] as? String } ?? []
      return "\(person["name"] ?? "nil"): \(tags.sorted().joined()) \(order.joined())"
    }.sorted().joined(separator: ", ")
  }

  @Test func everyStepBackIsWrittenToo() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("People.sqlite")
    let model = model()
    let context = try open(url, model)
    context.undoManager = UndoManager()
    context.undoManager?.groupsByEvent = false
    func insert(_ entity: String, _ name: String) -> NSManagedObject {
      let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
      object["name"] = name
      return object
    }
    var states: [String] = []
    func step(_ change: () -> Void) throws {
      change()
      try context.save()
      states.append(try state(url, model))
    }
    var people: [NSManagedObject] = []
    var tags: [NSManagedObject] = []
    var team: NSManagedObject?
    try step {
      people = ["a", "b", "c"].map { insert("Person", $0) }
      tags = ["x", "y"].map { insert("Tag", $0) }
      team = insert("Team", "t")
    }
    try step { team?["members"] = NSOrderedSet(array: [people[2], people[0], people[1]]) }
    try step { people[0]["tags"] = NSSet(array: tags) }
    try step { people[1]["tags"] = NSSet(array: [tags[1]]) }
    try step { team?["members"] = NSOrderedSet(array: [people[0], people[2]]) }
    try step { people[0]["name"] = "A" }
    try step { context.delete(people[0]) }
    try step { if let team { context.delete(team) } }
    #expect(Set(states).count == states.count)
    for index in states.indices.dropLast().reversed() {
      context.undo()
      try context.save()
      #expect(try state(url, model) == states[index])
    }
    for index in states.indices.dropFirst() {
      context.redo()
      try context.save()
      #expect(try state(url, model) == states[index])
    }
    let connection = try SQLiteConnection.reading(url)
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
    let keys = try connection.integer(
      "SELECT count(*) FROM ZPERSON WHERE Z_PK > (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = "
        + "'Person')")
    #expect(keys == 0)
  }

  /// An equal transformable value isn't a change, though the present one was never read: undo reverts the last change.
  @Test(arguments: [false, true]) func equalTransformableValuesAreNoChange(isPrimitive: Bool) throws
  {
    let folder = try TemporaryFolder()
    let entity = SmallModel.entity(
      "D", [SmallModel.number("n"), attribute("list", .transformableAttributeType)])
    let context = SmallModel.context(
      try SmallModel.coordinator(SmallModel.model(entity), folder.file("a.sqlite")))
    func list() -> NSArray { [NSString(string: "a"), NSNumber(value: 3)] }
    _ = SmallModel.new("D", ["n": 1, "list": list()], in: context)
    try context.save()
    context.reset()
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    let object = try #require(SmallModel.all("D", context).first)
    #expect(object["n"] as? Int == 1)
    let new = SmallModel.new("D", ["n": 2], in: context)
    context.processPendingChanges()
    if isPrimitive {
      object.willChangeValue(forKey: "list")
      object.setPrimitiveValue(list(), forKey: "list")
      object.didChangeValue(forKey: "list")
    } else {
      object["list"] = list()
    }
    context.undo()
    #expect(!new.isInserted)
  }
}
