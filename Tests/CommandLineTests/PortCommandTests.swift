import Foundation
import Testing

/// `momtool port` runs a separate program, whose work is tested in Tools/Port.
@Suite struct PortCommandTests {
  /// Runs a closure with the tool in a folder of its own, where it can't find a checkout.
  private static func withTool(_ body: (_ tool: URL, _ folder: URL) throws -> Void) throws {
    try Tool.withTemporaryFolder { folder in
      let tool = folder.appendingPathComponent("momtool")
      try FileManager.default.copyItem(at: Tool.url.resolvingSymlinksInPath(), to: tool)
      try body(tool, folder)
    }
  }

  private static func makeProgram(in folder: URL, _ script: String) throws {
    let program = folder.appendingPathComponent("momtool-port")
    try Data("#!/bin/sh\n\(script)\n".utf8).write(to: program)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
  }

  private static func run(
    _ tool: URL, _ arguments: String..., path: String = "/nowhere"
  ) throws -> Tool.Outcome {
    try Tool.run(tool, arguments: arguments, environment: ["PATH": path], in: nil)
  }

  @Test func `the program beside the tool gets the arguments, and its exit status is the tool's`()
    throws
  {
    try Self.withTool { tool, folder in
      try Self.makeProgram(in: folder, #"for a; do echo "[$a]"; done; exit 1"#)
      let outcome = try Self.run(
        tool, "port", folder.path, "-o", "to here", "--momkit", "../MomKit", "--format", "json")
      #expect(outcome.status == 1)
      #expect(
        outcome.text
          == "[\(folder.path)]\n[--format]\n[json]\n[--output]\n[to here]\n[--momkit]\n[../MomKit]\n"
      )
    }
  }

  @Test func `one on the PATH is found too`() throws {
    try Self.withTool { tool, folder in
      let other = folder.appendingPathComponent("bin")
      try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
      try Self.makeProgram(in: other, "echo found")
      let outcome = try Self.run(tool, "port", folder.path, path: "/nowhere:\(other.path)")
      #expect(outcome.status == 0 && outcome.text == "found\n")
    }
  }

  @Test func `without it the tool says how it is built`() throws {
    try Self.withTool { tool, folder in
      let outcome = try Self.run(tool, "port", folder.path)
      #expect(outcome.status != 0 && outcome.text.isEmpty)
      #expect(outcome.errors.contains("momtool-port is not built"))
      #expect(outcome.errors.contains("swift build --package-path Tools/Port"))
    }
  }

  @Test func `a folder that isn't there is an error of the tool's own`() throws {
    let outcome = try Tool.run("port", "/nowhere/at/all")
    #expect(outcome.status != 0 && outcome.errors.contains("there is no such folder"))
  }
}
