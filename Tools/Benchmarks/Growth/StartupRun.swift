import Foundation
import MomKit

/// Measures processes from launch to the first fetched object, for models with 10, 100 and 1,000 entities, compared
/// with a process that opens the file and reads the same rows through SQLite's C API.
///
/// To count instructions, run `valgrind --tool=callgrind GrowthBenchmark startup child "load and open" 10 FOLDER` in
/// a folder created by `startup prepare 10 FOLDER`.
enum StartupRun {
  private static let kinds = [
    "nothing", "raw", "load", "make", "load and open", "make and open",
  ]

  struct Line: Encodable {
    let entities: Int
    let kind: String
    let milliseconds: Double
    /// The ratio to the raw process, both less the time of a process that does nothing.
    let timesRaw: Double
  }

  static func run(
    _ arguments: [String], in folder: URL, rounds: Int, isJSON: Bool
  ) throws {
    switch arguments.first {
    case "child" where arguments.count == 4:
      try child(arguments[1], Int(arguments[2]) ?? 10, URL(fileURLWithPath: arguments[3]))
      return
    case "prepare" where arguments.count == 3:
      return try prepare(Int(arguments[1]) ?? 10, URL(fileURLWithPath: arguments[2]))
    default: break
    }
    var lines: [Line] = []
    for entities in [10, 100, 1_000] {
      try prepare(entities, folder)
      var times: [String: [Double]] = [:]
      for _ in 0..<(entities >= 1_000 ? 5 : 15) {
        for kind in kinds {
          times[kind, default: []].append(
            time(["startup", "child", kind, "\(entities)", folder.path]))
        }
      }
      let medians = times.mapValues(ConcurrencyRun.median)
      let nothing = medians["nothing"] ?? 0
      for kind in kinds {
        let time = medians[kind] ?? 0
        lines.append(
          Line(
            entities: entities, kind: kind, milliseconds: time,
            timesRaw: (time - nothing) / max((medians["raw"] ?? 0) - nothing, 0.001)))
      }
    }
    if isJSON {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      return print(String(decoding: try encoder.encode(lines), as: UTF8.self))
    }
    print("entities  what a process does     ms     × raw, both above nothing")
    for line in lines {
      print(
        "\(line.entities)".padding(toLength: 10, withPad: " ", startingAt: 0)
          + line.kind.padding(toLength: 20, withPad: " ", startingAt: 0)
          + String(format: "%8.2f %8.2f", line.milliseconds, line.timesRaw))
    }
  }

  private static func time(_ arguments: [String]) -> Double {
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    // Foundation's Process only checks at intervals whether its program has ended.
    let time = timed {
      var process = pid_t()
      precondition(posix_spawn(&process, program, nil, nil, &words, environ) == 0, "no process")
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      precondition(status == 0, "\(arguments) ended with \(status)")
    }
    return time / .milliseconds(1)
  }

  private static func store(_ entities: Int, _ folder: URL) -> URL {
    folder.appendingPathComponent("Start\(entities).sqlite")
  }

  private static func archive(_ entities: Int, _ folder: URL) -> URL {
    folder.appendingPathComponent("Start\(entities).momd")
  }

  private static func prepare(_ entities: Int, _ folder: URL) throws {
    let model = model(entities)
    try model.write(to: archive(entities, folder))
    let container = open(model, store(entities, folder))
    let context = container.newBackgroundContext()
    try context.performAndWait {
      for _ in 0..<10 { _ = context.make("Entity0") }
      try context.save()
    }
    for store in container.persistentStoreCoordinator.persistentStores {
      try container.persistentStoreCoordinator.remove(store)
    }
  }

  private static func open(_ model: NSManagedObjectModel, _ url: URL) -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Start", managedObjectModel: model)
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    container.loadPersistentStores { _, error in if let error { fatalError("\(error)") } }
    return container
  }

  private static func child(_ kind: String, _ entities: Int, _ folder: URL) throws {
    func load() -> NSManagedObjectModel {
      guard let model = NSManagedObjectModel(contentsOf: archive(entities, folder)) else {
        fatalError("no model")
      }
      return model
    }
    func fetch(_ model: NSManagedObjectModel) throws {
      let context = open(model, store(entities, folder)).newBackgroundContext()
      try context.performAndWait {
        let found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Entity0"))
        precondition(found.count == 10 && found[0].value(forKey: "attribute0") == nil)
      }
    }
    switch kind {
    case "raw":
      let raw = RawStore(store(entities, folder))
      var count = 0
      raw.rows("SELECT * FROM ZENTITY0") { row in
        count += 1
        use(Int(row.integer(0)))
      }
      precondition(count == 10)
    case "load": use(load().entitiesByName["Entity0"]?.propertiesByName.count ?? 0)
    case "make": use(model(entities).entitiesByName["Entity0"]?.propertiesByName.count ?? 0)
    case "load and open": try fetch(load())
    case "make and open": try fetch(model(entities))
    default: break
    }
  }

  /// Returns a model whose entities have ten attributes and three pairs of relationships each.
  private static func model(_ count: Int) -> NSManagedObjectModel {
    let types: [NSAttributeType] = [
      .stringAttributeType, .integer64AttributeType, .doubleAttributeType, .booleanAttributeType,
      .dateAttributeType, .stringAttributeType, .integer16AttributeType, .UUIDAttributeType,
      .binaryDataAttributeType, .floatAttributeType,
    ]
    let entities = (0..<count).map { index in
      let entity = NSEntityDescription()
      entity.name = "Entity\(index)"
      return entity
    }
    var properties: [[NSPropertyDescription]] = entities.map { _ in
      types.enumerated().map { position, type in
        let attribute = NSAttributeDescription()
        attribute.name = "attribute\(position)"
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
      }
    }
    for index in entities.indices {
      for pair in 0..<3 {
        let other = (index + pair + 1) % count
        let (toOne, toMany) = (NSRelationshipDescription(), NSRelationshipDescription())
        (toOne.name, toMany.name) = ("target\(pair)", "sources\(pair)")
        (toOne.destinationEntity, toMany.destinationEntity) = (entities[other], entities[index])
        (toOne.maxCount, toMany.maxCount) = (1, 0)
        (toOne.inverseRelationship, toMany.inverseRelationship) = (toMany, toOne)
        properties[index].append(toOne)
        properties[other].append(toMany)
      }
    }
    for (entity, properties) in zip(entities, properties) { entity.properties = properties }
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
  }
}
