import Foundation
import TestSupport
import Testing

@testable import PropertyLists

/// Writing never replaces anything but regular files, and follows symbolic links.
struct AtomicFileTests {
  private static let bytes = Array("written".utf8)

  private static func kind(_ url: URL) throws -> mode_t {
    var status = stat()
    try #require(lstat(url.path, &status) == 0, "\(url.lastPathComponent) is gone")
    return status.st_mode & S_IFMT
  }

  @Test func aFileKeepsItsPermissions() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    try Data("old".utf8).write(to: file)
    #expect(chmod(file.path, 0o640) == 0)
    try AtomicFile.write(Self.bytes, to: file.path)
    #expect(try FileBytes.read(file.path) == Self.bytes)
    var status = stat()
    #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o640)
  }

  /// Another process may have the same number, in a container of its own: its unfinished files are not ours.
  @Test func unfinishedFilesOfANamesakeAreLeftAlone() throws {
    let folder = try TemporaryFolder()
    let others = (0..<100).map {
      folder.url.appendingPathComponent(".momkit-\(getpid())-\($0).tmp")
    }
    for other in others { try Data("theirs".utf8).write(to: other) }
    let file = folder.url.appendingPathComponent("file")
    let drafts = try [FileDraft(of: file.path), FileDraft(of: file.path)]
    for draft in drafts { try draft.append(Self.bytes) }
    drafts[0].discard()
    try drafts[1].publish()
    #expect(try FileBytes.read(file.path) == Self.bytes)
    for other in others { #expect(try FileBytes.read(other.path) == Array("theirs".utf8)) }
    let count = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count
    #expect(count == others.count + 1)
  }

  @Test(arguments: ["target", "absent"]) func aLinkIsFollowed(name: String) throws {
    let folder = try TemporaryFolder()
    let target = folder.url.appendingPathComponent(name)
    if name == "target" { try Data("old".utf8).write(to: target) }
    let links = ["first", "second"].map { folder.url.appendingPathComponent($0) }
    #expect(symlink(name, links[0].path) == 0 && symlink(links[0].path, links[1].path) == 0)
    try AtomicFile.write(Self.bytes, to: links[1].path)
    #expect(try FileBytes.read(target.path) == Self.bytes)
    for link in links { #expect(try Self.kind(link) == S_IFLNK) }
  }

  @Test func pathsAreResolvedWhereThereIsAFile() throws {
    let folder = try TestSupport.TemporaryFolder()
    let (file, link) = (folder.file("file").path, folder.file("link").path)
    #expect(symlink("file", link) == 0)
    #expect(FileBytes.resolvingLinks(link) == link)
    try Data("there".utf8).write(to: URL(fileURLWithPath: file))
    let real = FileBytes.resolvingLinks(link)
    #expect(real.hasSuffix("/file") && real == FileBytes.resolvingLinks(file))
  }

  /// A log that came since the draft was begun.
  @Test func nothingIsMovedBesideWhatWouldBelongToIt() throws {
    let folder = try TestSupport.TemporaryFolder()
    let draft = try PropertyLists.TemporaryFolder(beside: folder.file("store"))
    try Data("new".utf8).write(to: draft.url.appendingPathComponent("store"))
    try Data("left".utf8).write(to: folder.file("store-wal"))
    #expect(throws: PropertyListError.self) {
      try draft.moveContents(last: "store", companions: ["-wal"])
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file("store").path))
    try draft.moveContents(last: "store")
    #expect(FileManager.default.fileExists(atPath: folder.file("store").path))
  }

  @Test func linksInACircleAreRefused() throws {
    let folder = try TemporaryFolder()
    let link = folder.url.appendingPathComponent("link")
    #expect(symlink("link", link.path) == 0)
    #expect(throws: PropertyListError.self) { try AtomicFile.write(Self.bytes, to: link.path) }
    #expect(try Self.kind(link) == S_IFLNK)
  }

  @Test func aPipeIsWrittenTo() throws {
    let folder = try TemporaryFolder()
    let pipe = folder.url.appendingPathComponent("pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    // Opened for reading and writing, so that neither side waits for the other.
    let reader = open(pipe.path, O_RDWR | O_NONBLOCK)
    defer { close(reader) }
    try AtomicFile.write(Self.bytes, to: pipe.path)
    var read = [UInt8](repeating: 0, count: 100)
    let count = Foundation.read(reader, &read, read.count)
    #expect(Array(read.prefix(max(count, 0))) == Self.bytes)
    #expect(try Self.kind(pipe) == S_IFIFO)
  }

  /// A device like `/dev/null` in a folder of the test's own; creating one requires root.
  @Test(.enabled(if: getuid() == 0)) func aCharacterDeviceIsWrittenTo() throws {
    let folder = try TemporaryFolder()
    let device = folder.url.appendingPathComponent("null")
    guard mknod(device.path, S_IFCHR | 0o666, 0x103) == 0 else { return }
    try AtomicFile.write(Self.bytes, to: device.path)
    #expect(try Self.kind(device) == S_IFCHR)
  }

  @Test(.enabled(if: getuid() == 0)) func aBlockDeviceIsRefused() throws {
    let folder = try TemporaryFolder()
    let device = folder.url.appendingPathComponent("disk")
    // A number without a driver, so that nothing can be written in any case.
    guard mknod(device.path, S_IFBLK | 0o600, 0xfefe) == 0 else { return }
    #expect(throws: PropertyListError.self) { try AtomicFile.write(Self.bytes, to: device.path) }
    #expect(try Self.kind(device) == S_IFBLK)
  }

  @Test func aFolderIsRefused() throws {
    let folder = try TemporaryFolder()
    #expect(throws: PropertyListError.self) {
      try AtomicFile.write(Self.bytes, to: folder.url.path)
    }
  }

  @Test func aBodyThatThrowsLeavesTheOldFile() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    try Data("old".utf8).write(to: file)
    #expect(throws: CancellationError.self) {
      try AtomicFile.write(to: file.path) { append in
        try Self.bytes.withUnsafeBytes { try append($0) }
        throw CancellationError()
      }
    }
    #expect(try FileBytes.read(file.path) == Array("old".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["file"])
  }
}
