import Foundation
import MomKit
import MomKitPostgreSQL
import SharedModel
import Testing

@testable import SharingClient

/// An app with a store of its own.
final class TestClient: Sendable {
  let url: URL
  private let container: NSPersistentContainer

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("sharing-\(UUID().uuidString).sqlite")
    container = try NotesStore.container(at: url)
  }

  deinit {
    for suffix in ["", "-wal", "-shm", ".sync"] {
      try? FileManager.default.removeItem(atPath: url.path + suffix)
    }
  }

  /// Changes objects as the app does.
  func edit<Result>(_ body: (NSManagedObjectContext) throws -> Result) throws -> Result {
    let context = container.newBackgroundContext()
    context.transactionAuthor = "app"
    context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    return try context.performAndWait {
      let result = try body(context)
      if context.hasChanges { try context.save() }
      return result
    }
  }

  @discardableResult func sync(_ server: URL) async throws -> Synchronizer.Report {
    try await Synchronizer(storeURL: url, server: server, secret: ServerProcess.secret).sync()
  }

  /// Synchronizes in another process, which is killed after some time unless it ends before.
  func syncAndKill(_ server: URL, after microseconds: UInt32) throws {
    let process = Process()
    process.executableURL = TestDatabase.program("sharing-client")
    process.arguments = ["sync", url.path, "--server", server.absoluteString]
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["SHARING_SECRET": ServerProcess.secret], uniquingKeysWith: { $1 })
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    usleep(microseconds)
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// The store's objects by their identifiers.
  func objects() throws -> [UUID: ObjectState] {
    try Self.objects(container.newBackgroundContext())
  }

  /// How far the store is synchronized, as a fresh stack reads it.
  func progress() throws -> SyncProgress {
    try SyncProgress(of: NotesStore.container(at: url).persistentStoreCoordinator)
  }

  /// The database's objects by their identifiers, read without the server.
  static func objects(in database: URL) throws -> [UUID: ObjectState] {
    try objects(context(database))
  }

  /// Deletes the database's history, as whoever runs it may do after some months.
  static func deleteHistory(in database: URL) throws {
    let context = try context(database)
    try context.performAndWait {
      let request = NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
      _ = try context.execute(request)
    }
  }

  private static func context(_ database: URL) throws -> NSManagedObjectContext {
    PostgreSQLStore.register()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SharedModel.model)
    try coordinator.addPersistentStore(
      ofType: NSPostgreSQLStoreType, configurationName: nil, at: database,
      options: [NSPersistentHistoryTrackingKey: true as NSNumber])
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private static func objects(
    _ context: NSManagedObjectContext
  ) throws -> [UUID: ObjectState] {
    try context.performAndWait {
      var all: [UUID: ObjectState] = [:]
      for entity in SharedModel.entities.values {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
        for object in try context.fetch(request) {
          let state = try #require(entity.state(object))
          #expect(all.updateValue(state, forKey: state.id) == nil, "\(state.id) exists twice")
        }
      }
      return all
    }
  }
}
