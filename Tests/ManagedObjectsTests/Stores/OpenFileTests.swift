import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// A store that is open is asked for what its file says.
///
/// Closing any descriptor of a file drops all locks that the process has on it: other processes would take the database
/// for one that nobody has open, and remove its log.
@Suite struct OpenFileTests {
  private let folder: TemporaryFolder
  private let file: URL

  init() throws {
    folder = try TemporaryFolder()
    file = folder.file("a.sqlite")
  }

  /// The number of locks that processes have on the file.
  private func lockCount(_ url: URL? = nil) throws -> Int {
    var info = stat()
    try #require(stat((url ?? file).path, &info) == 0)
    let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
    return locks.split(separator: "\n").count { $0.contains(":\(info.st_ino) ") }
  }

  @Test func itsLocksStay() throws {
    let context = try TestStore.open(
      file, SmallModel.model(SmallModel.entity("A", [SmallModel.text("name")])))
    SmallModel.new("A", ["name": "a"], in: context)
    try context.save()
    let before = try lockCount()
    try #require(before > 0)
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType, at: file)
    _ = try NSPersistentStore.metadataForPersistentStore(with: file)
    try NSPersistentStore.setMetadata(metadata, forPersistentStoreAt: file)
    _ = try NSManagedObjectModel(loading: file.path)
    _ = try StoreFile(at: file.path)
    #expect(StoreFileKind(contentsOf: file) == .sqlite)
    for type in [NSXMLStoreType, NSBinaryStoreType] {
      #expect(throws: NSError.self) {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: file)
      }
    }
    #expect(try lockCount() == before)
    try TestStore.close(context)
  }

  /// Locks belong to a file, whatever it is called.
  @Test func theyStayUnderOtherNames() throws {
    let context = try TestStore.open(
      file, SmallModel.model(SmallModel.entity("A", [SmallModel.text("name")])))
    SmallModel.new("A", ["name": "a"], in: context)
    try context.save()
    let before = try lockCount()
    try #require(before > 0)
    let link = folder.file("link.sqlite")
    try FileManager.default.linkItem(at: file, to: link)
    #expect(StoreFileKind(contentsOf: link) == .sqlite)
    #expect(throws: NSError.self) {
      try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSXMLStoreType, at: link)
    }
    #expect(try lockCount() == before)
    try FileManager.default.removeItem(at: link)

    let moved = folder.file("b.sqlite")
    for suffix in ["", "-wal", "-shm"] {
      try FileManager.default.moveItem(atPath: file.path + suffix, toPath: moved.path + suffix)
    }
    _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType, at: moved)
    #expect(try lockCount(moved) == before)
    let coordinator = try #require(context.persistentStoreCoordinator)
    #expect(coordinator.setURL(moved, for: coordinator.persistentStores[0]))
    #expect(try lockCount(moved) > 0)
    SmallModel.new("A", ["name": "b"], in: context)
    try context.save()
    // What another process would see, if the log was its to remove.
    #expect(try SQLiteConnection.reading(moved).integer("SELECT count(*) FROM ZA") == 2)
    try TestStore.close(context)
    #expect(try lockCount(moved) == 0)
    #expect(!OpenStoreFiles.shared.isOpen(moved.path) && !OpenStoreFiles.shared.isOpen(file.path))
    #expect(try SQLiteConnection.reading(moved).integer("SELECT count(*) FROM ZA") == 2)
  }
}
