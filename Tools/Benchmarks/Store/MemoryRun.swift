import Foundation
import MomKit

/// Measures the memory used by objects, in a separate process that does nothing else.
enum MemoryRun {
  /// The argument that selects the child process.
  static let argument = "--memory"

  /// Runs the child process on a store and returns its result: bytes per object.
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

  /// Fetches every person, accesses each, and prints the growth of the process per object.
  static func run(_ path: String) throws {
    Person.register()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Person.model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path))
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let request = NSFetchRequest<Person>(entityName: "Person")
    // Excludes one-time costs, such as statements and class caches.
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
