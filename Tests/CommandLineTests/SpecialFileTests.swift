import Foundation
import TestSupport
import Testing

/// An output that is a device, a pipe or a link is written to, never replaced: run as root, a tool that renames a
/// file over `/dev/null` breaks the whole machine.
struct SpecialFileTests {
  /// A command that writes one file, given by its last argument.
  struct Command: CustomTestStringConvertible, Sendable {
    var program = "momtool"
    var arguments: [String]

    var testDescription: String { "\(program) \(arguments.joined(separator: " "))" }
  }

  static let commands = [
    Command(arguments: ["compile", "Order.xcdatamodel", "-o"]),
    Command(arguments: ["archive", "Order.mom", "--output"]),
    Command(program: "momc", arguments: ["Order.xcdatamodel"]),
    Command(arguments: ["convert", "Order.xcdatamodel"]),
    Command(arguments: ["report", "Order.mom", "--output"]),
    Command(
      arguments: [
        "merge", "--base", "Order.mom", "--ours", "Order.mom", "--theirs", "Order.mom", "--output",
      ]),
  ]

  static func prepare(_ folder: URL) throws {
    let source = folder.appendingPathComponent("Order.xcdatamodel")
    try FileManager.default.createDirectory(at: source, withIntermediateDirectories: false)
    try Data(OrderSource.contents([OrderSource.attribute("name")]).utf8)
      .write(to: source.appendingPathComponent("contents"))
    #expect(try Tool.run("compile", "Order.xcdatamodel", "-o", "Order.mom", in: folder).status == 0)
  }

  static func kind(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  /// If a warning can't be printed, because the disk is full or standard error is closed, the program doesn't end.
  @Test func standardErrorMayBeFull() throws {
    guard let full = FileHandle(forWritingAtPath: "/dev/full") else { return }
    try Tool.withTemporaryFolder { folder in
      let source = folder.appendingPathComponent("Twice.xcdatamodel")
      try FileManager.default.createDirectory(at: source, withIntermediateDirectories: false)
      try Data("<model><entity name=\"A\"/><entity name=\"A\"/></model>".utf8)
        .write(to: source.appendingPathComponent("contents"))
      let process = Tool.process(Tool.url, ["dump", "Twice.xcdatamodel"], in: folder)
      process.standardError = full
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationReason == .exit)
      #expect(process.terminationStatus == 0)
    }
  }

  /// Commands that print, when standard output is missing, full, or closed by its reader.
  @Test(arguments: [
    "dump Order.mom", "archive Order.mom", "convert Order.mom -", "hashes Order.mom", "--help",
    "store --help", "compile Order.xcdatamodel -o -", "lint --list-rules",
    "diff Order.mom Other.mom",
    "report Order.mom -o -",
  ]) func standardOutputMayBeMissing(command: String) throws {
    try Tool.withTemporaryFolder { folder in
      try Self.prepare(folder)
      let source = folder.appendingPathComponent("Order.xcdatamodel/contents")
      try Data(OrderSource.contents([OrderSource.attribute("other")]).utf8).write(to: source)
      #expect(
        try Tool.run("compile", "Order.xcdatamodel", "-o", "Other.mom", in: folder).status == 0)
      func status(_ redirected: String) throws -> (status: String, errors: String) {
        let run = try Tool.run(
          URL(fileURLWithPath: "/bin/bash"),
          arguments: [
            "-c", "'\(Tool.url.path)' \(command) \(redirected); echo ${PIPESTATUS[0]} >&2",
          ], in: folder)
        let lines = run.errors.split(separator: "\n")
        return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
      }
      for redirected in [">/dev/full", ">&-", ">&- <&-"] {
        let run = try status(redirected)
        #expect(run.status == "2", "\(redirected)")
        #expect(run.errors.contains("can't write to standard output: "), "\(run.errors)")
        // Not the error of another file that took over the descriptor.
        #expect(!run.errors.contains("Invalid"), "\(run.errors)")
      }
      let pipe = try status("| true")
      #expect(["0", "1"].contains(pipe.status) && pipe.errors.isEmpty, "\(pipe)")
    }
  }

  @Test(.enabled(if: getuid() == 0), arguments: commands)
  func aDeviceStays(command: Command) throws {
    try Tool.withTemporaryFolder { folder in
      try Self.prepare(folder)
      let device = folder.appendingPathComponent("null.mom").path
      guard mknod(device, S_IFCHR | 0o666, 0x103) == 0 else { return }
      let outcome = try Tool.run(
        program: command.program, arguments: command.arguments + [device], in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(Self.kind(device) == S_IFCHR)
    }
  }

  @Test(arguments: commands) func aLinkStays(command: Command) throws {
    try Tool.withTemporaryFolder { folder in
      try Self.prepare(folder)
      let link = folder.appendingPathComponent("link.mom").path
      #expect(symlink("target.mom", link) == 0)
      let outcome = try Tool.run(
        program: command.program, arguments: command.arguments + [link], in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(Self.kind(link) == S_IFLNK)
      #expect(Self.kind(folder.appendingPathComponent("target.mom").path) == S_IFREG)
    }
  }

  @Test(arguments: commands) func aFileIsReplacedBehindItsLink(command: Command) throws {
    try Tool.withTemporaryFolder { folder in
      try Self.prepare(folder)
      let target = folder.appendingPathComponent("target.mom")
      let old = Data("old".utf8)
      try old.write(to: target)
      let link = folder.appendingPathComponent("link.mom").path
      #expect(symlink("target.mom", link) == 0)
      let outcome = try Tool.run(
        program: command.program, arguments: command.arguments + [link], in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(Self.kind(link) == S_IFLNK)
      #expect(Self.kind(target.path) == S_IFREG)
      #expect(try Data(contentsOf: target) != old)
    }
  }

  @Test(.enabled(if: SpecialFileTests.hasTimeout), arguments: commands)
  func aPipeIsWrittenTo(command: Command) throws {
    try Tool.withTemporaryFolder { folder in
      try Self.prepare(folder)
      let pipe = folder.appendingPathComponent("pipe.mom").path
      #expect(mkfifo(pipe, 0o600) == 0)
      let program = Tool.url.deletingLastPathComponent().appendingPathComponent(command.program)
      // Writing waits for a reader, as a shell's > does.
      let outcome = try Tool.run(
        URL(fileURLWithPath: "/bin/bash"),
        arguments: [
          "-c",
          "timeout -s KILL 60 cat pipe.mom > got & timeout -s KILL 60 \"$@\"; status=$?; wait; exit $status",
          "bash", program.path,
        ] + command.arguments + [pipe], in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(Self.kind(pipe) == S_IFIFO)
      #expect(try !Data(contentsOf: folder.appendingPathComponent("got")).isEmpty)
    }
  }

  static let hasTimeout = FileManager.default.isExecutableFile(atPath: "/usr/bin/timeout")

  @Test func aLinkToStandardOutputIsOne() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.prepare(folder)
      let run = try Tool.run(
        URL(fileURLWithPath: "/bin/bash"),
        arguments: [
          "-c",
          "ln -s /dev/stdout out; '\(Tool.url.path)' compile Order.xcdatamodel -o out | cmp - Order.mom",
        ], in: folder)
      #expect(run.status == 0 && run.errors.isEmpty, "\(run.text)\(run.errors)")
    }
  }

  @Test(arguments: ["-", "/dev/stdout"]) func standardOutputIsAnOutput(name: String) throws {
    try Tool.withTemporaryFolder { folder in
      try Self.prepare(folder)
      let file = try Data(contentsOf: folder.appendingPathComponent("Order.mom"))
      let outcome = try Tool.run("compile", "Order.xcdatamodel", "-o", name, in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output == file)
      #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("-").path))
    }
  }

  @Test func aBundleIsNotWrittenOverAPipe() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.prepare(folder)
      let pipe = folder.appendingPathComponent("Pipe.momd").path
      #expect(mkfifo(pipe, 0o600) == 0)
      let outcome = try Tool.run("convert", "Order.mom", "Pipe.momd", "--force", in: folder)
      #expect(outcome.status == 2)
      #expect(Self.kind(pipe) == S_IFIFO)
    }
  }
}
