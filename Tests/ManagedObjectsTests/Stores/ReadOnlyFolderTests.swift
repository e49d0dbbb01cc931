import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Stores in folders where nothing can be written, at least not by this process.
@Suite(.enabled(if: geteuid() != 0, "root may write into any folder"))
struct ReadOnlyFolderTests {
  @Test func aFileThatOthersWriteIsFollowed() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    try ReadOnlyStoreTests.fill(url)
    let newer = folder.file("Newer.sqlite")
    try FileManager.default.copyItem(at: url, to: newer)
    do {
      let connection = try SQLiteConnection(writing: newer, creation: .existing)
      for statement in ReadOnlyStoreTests.change(to: "b").split(separator: ";") {
        try connection.execute(String(statement))
      }
    }
    let bytes = try Data(contentsOf: newer)
    try FileManager.default.removeItem(at: newer)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o500], ofItemAtPath: folder.url.path)
    defer {
      try? FileManager.default.setAttributes(
        [.posixPermissions: 0o700], ofItemAtPath: folder.url.path)
    }
    let context = try ReadOnlyStoreTests.open(url)
    #expect(try ReadOnlyStoreTests.read(context) == "a 0")
    // As somebody does who may write there.
    let handle = try FileHandle(forWritingTo: url)
    try handle.write(contentsOf: bytes)
    try handle.close()
    #expect(try ReadOnlyStoreTests.read(context) == "b 1")
    #expect(try ReadOnlyStoreTests.names(folder) == ["Notes.sqlite"])
  }

  /// A store that can't be written is added read-only, instead of failing when something is saved.
  @Test(arguments: [nil, "delete"], [false, true])
  func aStoreThatCannotBeWrittenIsReadOnly(mode: String?, folderOnly: Bool) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    let model = SmallModel.model(SmallModel.entity("Note", [SmallModel.text("name")]))
    let first = try TestStore.open(url, model)
    SmallModel.new("Note", ["name": "a"], in: first)
    try first.save()
    try TestStore.close(first)
    if let mode {
      try SQLiteConnection(writing: url, creation: .existing).execute("PRAGMA journal_mode=\(mode)")
    }
    let files = FileManager.default
    if !folderOnly { try files.setAttributes([.posixPermissions: 0o400], ofItemAtPath: url.path) }
    try files.setAttributes(
      [.posixPermissions: folderOnly ? 0o500 : 0o700], ofItemAtPath: folder.url.path)
    defer { try? files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.url.path) }
    let context = try TestStore.open(url, model)
    let coordinator = try #require(context.persistentStoreCoordinator)
    #expect(coordinator.persistentStores[0].isReadOnly)
    #expect(try SmallModel.all("Note", context).count == 1)
    // New objects are another store's.
    try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    SmallModel.new("Note", ["name": "b"], in: context)
    try context.save()
    #expect(try SmallModel.all("Note", context).count == 2)
    try TestStore.close(context)
  }

  /// What keeps a store from being saved is told, even if something else would have, too.
  @Test func whyItIsReadOnlyIsTold() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    let model = SmallModel.model(SmallModel.entity("Note", [SmallModel.text("name")]))
    let tracking = [NSPersistentHistoryTrackingKey: true]
    try TestStore.close(try TestStore.open(url, model, options: tracking))
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o400], ofItemAtPath: url.path)
    for options in [nil, tracking] {
      let context = try TestStore.open(url, model, options: options)
      SmallModel.new("Note", ["name": "a"], in: context)
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSPersistentStoreSaveError)
      #expect(
        error?.localizedDescription
          == "The store is read-only: its file, or the folder that it is in, can't be written.")
      try TestStore.close(context)
    }
  }
}
