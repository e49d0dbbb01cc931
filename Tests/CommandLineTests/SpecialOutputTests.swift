import Foundation
import TestSupport
import Testing

/// Outputs that are folders, or stores that mustn't exist, where a pipe or a link is in their place: neither is replaced,
/// and nobody waits for a pipe's reader.
@Suite(.enabled(if: SpecialFileTests.hasTimeout)) struct SpecialOutputTests {
  /// A command that writes a folder, or files into one.
  struct Command: CustomTestStringConvertible, Sendable {
    let arguments: [String]
    /// The extension that the output's name needs.
    var type = ""

    var testDescription: String { arguments.joined(separator: " ") }

    /// The name of an output.
    func name(_ stem: String) -> String { type.isEmpty ? stem : "\(stem).\(type)" }
  }

  /// Those that put a whole folder in its place.
  static let models = [
    Command(arguments: ["decompile", "Order.mom", "--output"], type: "xcdatamodel"),
    Command(arguments: ["convert", "Order.mom"], type: "xcdatamodel"),
  ]

  /// Those that write files into a folder.
  static let folders = [
    Command(arguments: ["generate", "Order.xcdatamodel", "--all", "--output"]),
    Command(arguments: ["store", "export", "Orders.sqlite", "--format", "csv", "--output"]),
  ]

  /// Those that make a store where there is none.
  static let stores = [
    Command(arguments: ["store", "migrate", "Orders.sqlite", "--to", "Order.mom", "--output"]),
    Command(arguments: ["store", "views", "Orders.sqlite", "--output"]),
    Command(arguments: ["store", "copy", "Orders.sqlite"]),
    Command(arguments: ["store", "create", "Order.mom"]),
  ]

  private func withFiles(_ body: (URL) throws -> Void) throws {
    try Tool.withTemporaryFolder { folder in
      try SpecialFileTests.prepare(folder)
      let made = try Tool.run("store", "create", "Order.mom", "Orders.sqlite", in: folder)
      #expect(made.status == 0, "\(made.errors)")
      try body(folder)
    }
  }

  private func run(_ command: Command, _ output: String, in folder: URL) throws -> Tool.Outcome {
    try Tool.run(
      URL(fileURLWithPath: "/usr/bin/timeout"),
      arguments: ["-s", "KILL", "60", Tool.url.path] + command.arguments + [output], in: folder)
  }

  private func kind(_ name: String, in folder: URL) -> mode_t? {
    SpecialFileTests.kind(folder.appendingPathComponent(name).path)
  }

  @Test(arguments: models + folders + stores) func aPipeStays(command: Command) throws {
    try withFiles { folder in
      let name = command.name("pipe")
      #expect(mkfifo(folder.appendingPathComponent(name).path, 0o600) == 0)
      let outcome = try run(command, name, in: folder)
      #expect(outcome.status == 2, "\(outcome.errors)")
      #expect(kind(name, in: folder) == S_IFIFO)
    }
  }

  @Test(arguments: models) func aFolderIsMadeBehindItsLink(command: Command) throws {
    try withFiles { folder in
      let (link, target) = (command.name("link"), command.name("target"))
      #expect(symlink(target, folder.appendingPathComponent(link).path) == 0)
      let outcome = try run(command, link, in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(kind(link, in: folder) == S_IFLNK)
      #expect(kind(target, in: folder) == S_IFDIR)
      #expect(kind("\(target)/contents", in: folder) == S_IFREG)
    }
  }

  @Test(arguments: folders) func aFolderBehindALinkIsFilled(command: Command) throws {
    try withFiles { folder in
      let target = folder.appendingPathComponent("target")
      try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
      #expect(symlink("target", folder.appendingPathComponent("link").path) == 0)
      let outcome = try run(command, "link", in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(kind("link", in: folder) == S_IFLNK)
      #expect(try !FileManager.default.contentsOfDirectory(atPath: target.path).isEmpty)
    }
  }

  /// As `mkdir` does, which follows none.
  @Test(arguments: folders) func aLinkToNowhereIsNoFolder(command: Command) throws {
    try withFiles { folder in
      #expect(symlink("target", folder.appendingPathComponent("link").path) == 0)
      let outcome = try run(command, "link", in: folder)
      #expect(outcome.status == 2 && outcome.errors.contains("can't create the folder"))
      #expect(kind("link", in: folder) == S_IFLNK)
      #expect(kind("target", in: folder) == nil)
    }
  }

  /// A new store isn't made through a link, wherever it leads.
  @Test(arguments: stores, [false, true]) func aLinkStays(command: Command, leads: Bool) throws {
    try withFiles { folder in
      let target = folder.appendingPathComponent("target")
      if leads { try Data("old".utf8).write(to: target) }
      #expect(symlink("target", folder.appendingPathComponent("link").path) == 0)
      let names = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
      let outcome = try run(command, "link", in: folder)
      #expect(outcome.status == 2 && outcome.errors.contains("the file already exists"))
      #expect(kind("link", in: folder) == S_IFLNK)
      #expect((try? Data(contentsOf: target)) == (leads ? Data("old".utf8) : nil))
      #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) == names)
    }
  }
}
