import Foundation
import Testing

@testable import SourcePorting

/// What can't be ported, and what a port would spoil.
@Suite struct RefusalTests {
  @Test func `folders with other things in them are refused`() throws {
    let trial = try Trial()
    defer { trial.remove() }
    let inside = PackagePort(
      source: trial.original, destination: trial.original.appending(path: "copy"),
      momKit: trial.momKit.path)
    #expect(throws: PortError.self) { try inside.run() }
    try FileManager.default.createDirectory(at: trial.copy, withIntermediateDirectories: true)
    try Data().write(to: trial.copy.appending(path: "mine"))
    #expect(throws: PortError.self) { try trial.port() }
    try FileManager.default.removeItem(at: trial.copy)
    _ = try trial.port()
    let other = PackagePort(
      source: trial.folder.appending(path: "Prices"), destination: trial.copy,
      momKit: trial.momKit.path)
    #expect(throws: PortError.self) { try other.run() }
  }
  /// Returns the message of a port that fails.
  private func message(
    _ source: URL, to destination: URL, momKit: String
  ) throws -> String {
    let port = PackagePort(source: source, destination: destination, momKit: momKit)
    return try #require(#expect(throws: PortError.self) { try port.run() }).description
  }

  @Test func `only folders are ported`() throws {
    let trial = try Trial()
    defer { trial.remove() }
    let file = trial.original.appending(path: "Package.swift")
    #expect(
      try message(file, to: trial.copy, momKit: trial.momKit.path)
        == "\(file.path): this isn't a folder: specify the folder of a package, or of sources")
    let missing = trial.folder.appending(path: "missing")
    #expect(
      try message(missing, to: trial.copy, momKit: trial.momKit.path)
        == "\(missing.path): there is no such folder")
    #expect(!FileManager.default.fileExists(atPath: trial.copy.path))
  }

  @Test func `a port isn't ported`() throws {
    let trial = try Trial()
    defer { trial.remove() }
    _ = try trial.port()
    let other = trial.folder.appending(path: "other")
    let message = try message(trial.copy, to: other, momKit: trial.momKit.path)
    #expect(
      message.hasPrefix("\(trial.copy.path): this is a port of \(trial.original.path): port that"))
    #expect(!FileManager.default.fileExists(atPath: other.path))
  }

  @Test func `MomKit must be where the copy looks for it`() throws {
    let trial = try Trial()
    defer { trial.remove() }
    #expect(
      try message(trial.original, to: trial.copy, momKit: "/nonexistent")
        == "/nonexistent: there is no package: specify MomKit's location with --momkit PATH or URL")
    let address = "https://example.org/MomKit"
    _ = try PackagePort(source: trial.original, destination: trial.copy, momKit: address).run()
    // A relative path is one from here, not from the copy.
    let port = PackagePort(source: trial.original, destination: trial.copy, momKit: "Sources/..")
    #expect(port.momKit == URL(fileURLWithPath: ".").standardizedFileURL.path)
  }

  @Test func `changes made in the copy are named when they are lost`() throws {
    let trial = try Trial()
    defer { trial.remove() }
    #expect(try trial.port().overwritten.isEmpty)
    let files = FileManager.default
    func change(_ path: String, to text: String) throws {
      try Data(text.utf8).write(to: trial.copy.appending(path: path))
    }
    try change("Sources/Item.ported.swift", to: "// mine")
    try change("Sources/Keys/Keys.ported.swift", to: "// mine")
    try change("README.md", to: "mine")
    // A file of the copy alone stays, until the original has one of its name.
    try change("NOTES.md", to: "mine")
    try change("OTHER.md", to: "mine")
    try trial.write("theirs", to: "NOTES.md")
    try files.removeItem(at: trial.original.appending(path: "Sources/Keys"))
    let report = try trial.port()
    let lost = [
      "NOTES.md", "README.md", "Sources/Item.ported.swift", "Sources/Keys/Keys.ported.swift",
    ]
    #expect(report.overwritten == lost)
    #expect(report.needsAttention)
    for path in lost {
      #expect(report.text.contains("\n\(path): what was changed by hand in the copy is lost: "))
    }
    #expect(try trial.files(of: trial.copy)["OTHER.md"]?.hasSuffix("mine") == true)

    // What changes in the original is nobody's loss.
    try trial.write("new", to: "README.md")
    #expect(try trial.port().overwritten.isEmpty)
  }

  /// A file of the copy may have become a link to the original, which is never modified, or a pipe that nobody writes to.
  @Test(arguments: ["a link", "a link to nothing", "a pipe"])
  func `nothing but files is replaced in a copy`(kind: String) throws {
    let trial = try Trial()
    defer { trial.remove() }
    _ = try trial.port()
    let files = FileManager.default
    let place = trial.copy.appending(path: "Sources/Item.ported.swift")
    let original = trial.original.appending(path: "Sources/Item.swift")
    try files.removeItem(at: place)
    switch kind {
    case "a link":
      try files.createSymbolicLink(at: place, withDestinationURL: original)
    case "a link to nothing":
      try files.createSymbolicLink(atPath: place.path, withDestinationPath: "nothing")
    default: #expect(mkfifo(place.path, 0o600) == 0)
    }
    try trial.write("new", to: "README.md")
    let type = try fileType(of: place)
    let text = try String(contentsOf: original, encoding: .utf8)
    let error = #expect(throws: PortError.self) { try trial.port() }
    #expect(error?.description.hasPrefix("\(place.path): this isn't a regular file") == true)
    #expect(try fileType(of: place) == type)
    #expect(try String(contentsOf: original, encoding: .utf8) == text)
    // Nothing else has been written, either.
    let note = trial.copy.appending(path: "README.md")
    #expect(try String(contentsOf: note, encoding: .utf8) == "text")

    let target = TargetPort(
      module: "Shop", sources: [original], known: [], models: [], hasResources: false,
      destination: place.deletingLastPathComponent(), osStandIn: nil)
    #expect(throws: PortError.self) { try target.run() }
    #expect(try fileType(of: place) == type)
  }

  private func fileType(of place: URL) throws -> FileAttributeType? {
    let attributes = try FileManager.default.attributesOfItem(atPath: place.path)
    return attributes[.type] as? FileAttributeType
  }

  @Test func `a copy whose record has no digests is ported again`() throws {
    let trial = try Trial()
    defer { trial.remove() }
    _ = try trial.port()
    let record = """
      {"source": "\(trial.original.path)",
        "files": ["README.md", "Sources/Linked.ported.swift", "gone.md"]}
      """
    try Data(record.utf8).write(to: trial.copy.appending(path: PortRecord.fileName))
    try Data("theirs".utf8).write(to: trial.copy.appending(path: "gone.md"))
    try trial.write("new", to: "README.md")
    #expect(try trial.port().overwritten.isEmpty)
    #expect(try trial.files(of: trial.copy)["gone.md"] == nil)
  }

  @Test func `a source in another encoding is copied, and named with the line`() throws {
    let trial = try Trial()
    defer { trial.remove() }
    let source = Data("import CoreData\nlet a = \"".utf8) + [0xe9] + Data("\"\n".utf8)
    try source.write(to: trial.original.appending(path: "Sources/Latin.swift"))
    let report = try trial.port()
    let note = try #require(report.left.first { $0.kind == .encoding })
    #expect(note.path == "Sources/Latin.swift")
    #expect(note.line == 2)
    #expect(note.text == "let a = \"\u{fffd}\"")
    #expect(note.advice?.hasPrefix("this isn't UTF-8") == true)
    #expect(try Data(contentsOf: trial.copy.appending(path: "Sources/Latin.swift")) == source)
    #expect(report.fileCount == 4)
  }
}
