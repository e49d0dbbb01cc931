import Foundation
import MomKit

/// How much memory objects take: measured in a process of its own, which does nothing else.
enum MemoryRun {
  /// The argument that says that this is the process.
  static let argument = "--memory"

  /// Starts the process on a store, and gives what it found: bytes an object.
  static func measure(_ file: URL) throws -> Int {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [argument, file.path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: output, as: UTF8.self)
    return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
  }

  /// Fetches every person, looks at each, and prints by how much the process has grown for one.
  static func run(_ path: String) throws {
    Person.register()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Person.model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path))
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let request = NSFetchRequest<Person>(entityName: "Person")
    // What is made once (statements, caches of classes) isn't the objects'.
    request.fetchLimit = 100
    _ = try context.fetch(request).map(\.age)
    request.fetchLimit = 0
    let before = try residentBytes()
    let people = try context.fetch(request)
    let ages = people.reduce(0) { $0 + $1.age }
    let after = try residentBytes()
    withExtendedLifetime((context, people, ages)) { print((after - before) / people.count) }
  }

  private static func residentBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
