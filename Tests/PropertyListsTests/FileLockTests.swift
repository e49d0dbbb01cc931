import Foundation
import TestSupport
import Testing

@testable import PropertyLists

/// The exclusive right to replace a file.
struct FileLockTests {
  @Test func oneAtATimeHasIt() throws {
    let folder = try TestSupport.TemporaryFolder()
    let path = folder.file("a").path
    try Data([1]).write(to: folder.file("a"))
    let lock = try FileLock(of: path)
    #expect(throws: PropertyListError.self) { _ = try FileLock(of: path, waiting: 0) }
    // Another file at the path isn't locked.
    try Data([2]).write(to: folder.file("a"), options: .atomic)
    _ = try FileLock(of: path, waiting: 0)
    _ = consume lock
  }

  @Test func itIsOverWithItsOwner() throws {
    let folder = try TestSupport.TemporaryFolder()
    try Data([1]).write(to: folder.file("a"))
    for _ in 0..<3 { _ = try FileLock(of: folder.file("a").path, waiting: 0) }
    // Where no file is, none can be locked.
    _ = try FileLock(of: folder.file("b").path)
  }

  @Test func aDraftReplacesNothingThatCameMeanwhile() throws {
    let folder = try TestSupport.TemporaryFolder()
    let file = folder.file("a")
    let draft = try FileDraft(of: file.path)
    try draft.append([1])
    try Data([2]).write(to: file)
    #expect(throws: PropertyListError.self) { try draft.publish(replaces: false) }
    draft.discard()
    #expect(try Data(contentsOf: file) == Data([2]))
    let again = try FileDraft(of: folder.file("b").path)
    try again.append([3])
    try again.publish(replaces: false)
    #expect(try Data(contentsOf: folder.file("b")) == Data([3]))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 2)
  }
}
