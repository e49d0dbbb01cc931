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
}
