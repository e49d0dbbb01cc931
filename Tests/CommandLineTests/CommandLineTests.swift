import Foundation
import Testing

/// Common behavior of all commands: help, versions, invalid command lines.
struct CommandLineTests {
  @Test func theToolExplainsItself() throws {
    let outcome = try Tool.run("--help")
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.text.hasPrefix("OVERVIEW: Reads, checks and writes Core Data models"))
    for part in ["INPUT is", "EXAMPLES", "EXIT STATUS", "USAGE: momtool <subcommand>"] {
      #expect(outcome.text.contains(part))
    }
  }

  /// In narrow terminals, too; the argument parser alone traps.
  @Test(arguments: ["0", "1", "20", "-5"]) func helpFitsNarrowTerminals(columns: String) throws {
    let outcome = try Tool.run("dump", "--help", environment: ["COLUMNS": columns])
    #expect(outcome.status == 0 && outcome.text.contains("USAGE"), "\(outcome.errors)")
  }

  @Test(arguments: ["dump", "archive"])
  func everyCommandHasExamples(command: String) throws {
    let outcome = try Tool.run(command, "--help")
    #expect(outcome.status == 0)
    #expect(outcome.text.contains("EXAMPLES"))
    #expect(outcome.text.contains("momtool \(command) "))
    #expect(outcome.text.contains("USAGE: momtool \(command)"))
  }

  @Test func theVersionIsOneLine() throws {
    let outcome = try Tool.run("--version")
    #expect(outcome.status == 0)
    #expect(try #/momtool \d+\.\d+\.\d+\n/#.wholeMatch(in: outcome.text) != nil)
  }

  @Test(arguments: [
    ["frobnicate"], ["dump"], ["dump", "--format", "yaml", "x"], ["dump", "--nothing", "x"],
    ["dump", "x", "--version", "a", "--all-versions"], ["archive"], ["archive", "a", "b"],
    ["dump", "x", "--color", "blue"],
  ])
  func aWrongCommandLineIsAnErrorOfItsOwn(arguments: [String]) throws {
    let outcome = try Tool.run(arguments: arguments)
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("Error: "))
    #expect(outcome.errors.contains("Usage: "))
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func completionsAreGenerated(shell: String) throws {
    let outcome = try Tool.run("--generate-completion-script", shell)
    #expect(outcome.status == 0)
    #expect(outcome.text.contains("dump"))
  }

  @Test func aReaderThatGoesAwayIsNoError() throws {
    let process = Process()
    process.executableURL = Tool.url
    process.arguments = ["--help"]
    process.environment = Tool.base
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    try output.fileHandleForReading.close()
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 0)
  }
}
