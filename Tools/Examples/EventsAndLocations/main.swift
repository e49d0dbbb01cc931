// Events at locations: a relationship and its inverse, delete rules, and model versions.

import ExampleSupport
import MomKit

let run = ExampleRun()
let storeURL = run.folder.appendingPathComponent("Events.sqlite")

func makeContainer(
  _ model: NSManagedObjectModel, at url: URL = storeURL
) -> NSPersistentContainer {
  let container = NSPersistentContainer(name: "Events", managedObjectModel: model)
  container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
  container.loadPersistentStores { _, error in
    run.expect(error == nil, error.map { "the store opens: \($0)" } ?? "the store opens")
  }
  return container
}

if run.part == "changing the model of a container" {
  let model = EventsModel.make()
  _ = NSPersistentContainer(name: "Events", managedObjectModel: model)
  model.entitiesByName["Event"]?.relationshipsByName["location"]?.maxCount = 2
  run.finish()
}

// MARK: Counts

run.say("Whether a relationship is to-many follows from its count.")
let relationship = NSRelationshipDescription()
for (count, isToMany) in [(0, true), (1, false), (7, true), (-1, true)] {
  relationship.maxCount = count
  run.expect(relationship.isToMany == isToMany, "maxCount \(count): isToMany is \(isToMany)")
}

// MARK: Inverses

run.attempt("events and locations") {
  run.say("Setting one side of a relationship sets the other.")
  let context = makeContainer(EventsModel.make()).viewContext
  let (hall, park) = (Location(context: context), Location(context: context))
  hall.name = "hall"
  park.name = "park"
  let events = (0..<3).map { number in
    let event = Event(context: context)
    event.timestamp = Date(timeIntervalSinceReferenceDate: Double(number))
    event.location = hall
    return event
  }
  run.expect(hall.events == Set(events), "the hall has three events")
  park.events.insert(events[2])
  run.expect(events[2].location === park && hall.events.count == 2, "one is moved to the park")
  hall.events.remove(events[1])
  run.expect(events[1].location == nil, "one is taken out")
  try context.save()

  let container = makeContainer(EventsModel.make())
  let again = container.viewContext
  let request = NSFetchRequest<Location>(entityName: "Location")
  request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
  run.expect(
    try again.fetch(request).map(\.events.count) == [1, 1], "the store has it so after a restart")
  // The store must not be open with the older model when it is migrated.
  for store in container.persistentStoreCoordinator.persistentStores {
    try container.persistentStoreCoordinator.remove(store)
  }
}

// MARK: Delete rules

run.say("A location with an event is deleted.")
for (rule, name) in [
  (NSDeleteRule.nullifyDeleteRule, "nullify"), (.cascadeDeleteRule, "cascade"),
  (.denyDeleteRule, "deny"), (.noActionDeleteRule, "no action"),
] {
  run.attempt("the rule \(name)") {
    let url = run.folder.appendingPathComponent("\(name).sqlite")
    let context = makeContainer(EventsModel.make(rule: rule), at: url).viewContext
    let (location, event) = (Location(context: context), Event(context: context))
    event.location = location
    try context.save()
    context.delete(location)
    switch rule {
    case .denyDeleteRule:
      let error = run.error("deny: saving fails") { try context.save() }
      run.expect(
        error?.code == NSValidationRelationshipDeniedDeleteError, "deny: with Core Data's code")
      context.rollback()
      run.expect(event.location === location, "deny: after a rollback all is as it was")
    case .cascadeDeleteRule:
      try context.save()
      let left = try context.count(for: NSFetchRequest<Event>(entityName: "Event"))
      run.expect(left == 0, "cascade: the event is deleted too")
    case .nullifyDeleteRule:
      try context.save()
      run.expect(event.location == nil, "nullify: the event has no location")
    default:
      try context.save()
      let left = try context.count(for: NSFetchRequest<Event>(entityName: "Event"))
      run.expect(left == 1, "no action: the event stays")
    }
  }
}

// MARK: Versions

run.attempt("a migration that is inferred") {
  run.say("Version 2 of the model adds a title; the store is migrated when it is opened.")
  let container = makeContainer(EventsModel.withTitles())
  let context = container.viewContext
  let events = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Event"))
  run.expect(events.count == 3, "all events are there")
  run.expect(events.allSatisfy { $0.value(forKey: "title") == nil }, "without a title")
  let places = events.compactMap { $0.value(forKeyPath: "location.name") as? String }
  run.expect(places.sorted() == ["hall", "park"], "at their locations")
  events.first?.setValue("opening", forKey: "title")
  try context.save()
  for store in container.persistentStoreCoordinator.persistentStores {
    try container.persistentStoreCoordinator.remove(store)
  }
}

run.attempt("a migration by a mapping") {
  run.say("Version 3 makes a text of the timestamp: a mapping made in code migrates it.")
  let (old, new) = (EventsModel.withTitles(), EventsModel.withTextualTimestamps())
  let inferred = run.error("no mapping can be inferred") {
    _ = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
  }
  run.expect(inferred?.code == NSInferredMappingModelError, "with Core Data's code")
  TimestampPolicy.register()
  let migrated = run.folder.appendingPathComponent("Events-3.sqlite")
  try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
    from: storeURL, type: .sqlite, mapping: EventsModel.mapping(), to: migrated, type: .sqlite)
  let container = makeContainer(new, at: migrated)
  let request = NSFetchRequest<NSManagedObject>(entityName: "Event")
  request.sortDescriptors = [NSSortDescriptor(key: "timestamp", ascending: true)]
  let events = try container.viewContext.fetch(request)
  run.expect(
    events.first?.value(forKey: "timestamp") as? String == "2001-01-01T00:00:00Z",
    "timestamps are texts")
  run.expect(
    events.compactMap { $0.value(forKey: "title") as? String } == ["opening"],
    "the title is there")
  run.expect(
    events.compactMap { $0.value(forKeyPath: "location.name") as? String }.sorted()
      == ["hall", "park"], "and the locations")
}

// MARK: A model in use

run.say("The model of a container is changed.")
let message = run.deathMessage(of: "changing the model of a container")
run.expect(
  message.contains("setMaxCount:"), "the program stops with a message that names the setter")
run.finish()
