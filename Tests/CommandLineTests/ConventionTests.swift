import Foundation
import TestSupport
import Testing

/// Conventions that every command follows: where it writes, how it exits, and how it describes itself.
struct ConventionTests {
  /// A command line and its expected exit status.
  struct Run: CustomTestStringConvertible, Sendable {
    var arguments: [String]
    var status: Set<Int32>

    init(_ arguments: String..., status: Int32...) {
      self.arguments = arguments
      self.status = Set(status.isEmpty ? [0] : status)
    }

    var testDescription: String { arguments.joined(separator: " ") }
  }

  /// Returns the commands listed by the help.
  private static func commands(of command: String...) throws -> [String] {
    let help = try Tool.run(arguments: command + ["--help"]).text
    let list = help.components(separatedBy: "SUBCOMMANDS:\n").dropFirst().first ?? ""
    return list.components(separatedBy: "\n\n")[0].split(separator: "\n")
      .filter { !$0.hasPrefix("   ") }.map { String($0.dropFirst(2).prefix { $0 != " " }) }
  }

  @Test func everyCommandExplainsItself() throws {
    let commands = try Self.commands()
    #expect(commands.count >= 18)
    for command in commands {
      let help = try Tool.run(command, "--help")
      #expect(help.status == 0, "\(command)")
      #expect(help.errors.isEmpty, "\(command)")
      for part in ["OVERVIEW: ", "USAGE: momtool \(command)", "EXAMPLES", "momtool \(command) "] {
        #expect(help.text.contains(part), "\(command): \(part)")
      }
      #expect(try Tool.run("help", command).text == help.text, "\(command)")
    }
    for command in try Self.commands(of: "store") {
      let help = try Tool.run("store", command, "--help")
      #expect(help.status == 0, "store \(command)")
      #expect(help.text.contains("USAGE: momtool store \(command)"), "store \(command)")
    }
  }

  @Test func everyCommandTellsAWrongOption() throws {
    var commands = try Self.commands().map { [$0] }
    commands += try Self.commands(of: "store").map { ["store", $0] }
    for command in commands {
      let outcome = try Tool.run(arguments: command + ["--no-such-option"])
      #expect(outcome.status == 64, "\(command)")
      #expect(outcome.output.isEmpty, "\(command)")
      #expect(outcome.errors.hasPrefix("Error: "), "\(command)")
      #expect(
        outcome.errors.contains("Usage: momtool \(command.joined(separator: " "))"), "\(command)")
    }
  }

  @Test(arguments: [["help", "dmup"], ["help", "store", "fecth"], ["dmup"], ["store", "fecth"]])
  func anUnknownCommandIsWrong(arguments: [String]) throws {
    let outcome = try Tool.run(arguments: arguments)
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("There is no command '\(arguments.last ?? "")'"))
  }

  @Test func completionsKnowEveryCommand() throws {
    let commands = try Self.commands()
    for shell in ["bash", "zsh", "fish"] {
      let script = try Tool.run("--generate-completion-script", shell).text
      for command in commands { #expect(script.contains(command), "\(shell): \(command)") }
    }
  }

  // MARK: Trouble

  static let withoutInput = [
    Run("dump", "gone.mom", status: 2), Run("dump", "gone.mom", "--format", "json", status: 2),
    Run("archive", "gone.mom", status: 2), Run("convert", "gone.mom", "out.mom", status: 2),
    Run("convert", "gone.momd", "out.momd", status: 2), Run("hashes", "gone.mom", status: 2),
    Run("verify", "gone.momd", status: 2), Run("compile", "gone.xcdatamodeld", status: 2),
    Run("decompile", "gone.momd", status: 2), Run("lint", "gone.mom", status: 2),
    Run("generate", "gone.momd", status: 2), Run("diff", "gone.mom", "gone.mom", status: 2),
    Run("merge", "gone.mom", "gone.mom", "-o", "out.mom", status: 2),
    Run("guard", "--against", "gone", "gone.xcdatamodeld", status: 2),
    Run("migrate-check", "gone.mom", "gone.mom", status: 2),
    Run("identify", "gone.sqlite", "gone.momd", status: 2),
    Run("predicate", "a > 1", "--json", "gone.json", status: 2),
    Run("mapping", "gone.cdm", status: 2), Run("store", "info", "gone.sqlite", status: 2),
    Run("store", "schema", "gone.momd", status: 2),
    Run("store", "fetch", "gone.sqlite", "Order", status: 2),
    Run("store", "create", "gone.momd", "out.sqlite", status: 2),
    Run("port", "gone", "-o", "out", status: 2),
  ]

  /// Missing input is reported on standard error, with status 2; nothing is written elsewhere.
  @Test(arguments: withoutInput) func aMissingInputIsTrouble(run: Run) throws {
    try Tool.withTemporaryFolder { folder in
      let outcome = try Tool.run(arguments: run.arguments, in: folder)
      #expect(run.status.contains(outcome.status), "\(outcome.status): \(outcome.errors)")
      #expect(outcome.text.isEmpty)
      #expect(outcome.errors.contains("gone"))
      #expect(outcome.errors.contains("error: "))
      #expect(outcome.errors.hasSuffix("\n"))
      #expect(!outcome.errors.contains("ExitCode"))
      #expect(!outcome.errors.contains("Usage: "))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
  }

  @Test func theTableOfMissingInputsIsComplete() throws {
    let tried = Set(Self.withoutInput.map { $0.arguments[0] })
    let commands = Set(try Self.commands())
    // git-setup has no input.
    #expect(tried.subtracting(commands) == [])
    #expect(tried.contains("dump") && tried.count >= 17)
  }

  /// A command that judges says what it found even if nobody reads its report.
  @Test func aClosedPipeLeavesTheVerdict() throws {
    try Tool.withTemporaryFolder { folder in
      let model = folder.appendingPathComponent("Broken.xcdatamodel")
      try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
      let broken = OrderSource.contents([OrderSource.attribute("a"), OrderSource.attribute("a")])
      try Data(broken.utf8).write(to: model.appendingPathComponent("contents"))
      let run = try Tool.run(
        URL(fileURLWithPath: "/bin/bash"),
        arguments: [
          "-c",
          "{ sleep 0.2; '\(Tool.url.path)' lint Broken.xcdatamodel; echo $? >&2; } | true",
        ], in: folder)
      #expect(run.errors == "1\n")
    }
  }

  // MARK: Success

  static let runs = [
    Run("dump", "Shop.momd"), Run("dump", "Shop.momd", "--format", "json"),
    Run("dump", "Shop.momd", "--format", "dot"), Run("archive", "Shop.momd/Shop.mom"),
    Run("archive", "Shop.momd/Shop.mom", "--format", "json"), Run("hashes", "Shop.momd"),
    Run("hashes", "Shop.momd", "--format", "json"), Run("verify", "Shop.momd"),
    Run("verify", "Shop.momd", "--format", "json"), Run("convert", "Shop.momd", "Out.momd"),
    Run("compile", "Shop.xcdatamodeld", "-o", "Out2.momd"),
    Run("decompile", "Shop.momd", "-o", "Out.xcdatamodeld"),
    Run("lint", "Shop.xcdatamodeld", status: 0, 1),
    Run("lint", "Shop.xcdatamodeld", "--format", "json", status: 0, 1),
    Run("lint", "--list-rules"), Run("generate", "Shop.momd", "-o", "Generated", "--all"),
    Run("diff", "Shop.momd@Shop", "Shop.momd@Shop 2", status: 1),
    Run("diff", "Shop.momd@Shop", "Shop.momd@Shop 2", "--format", "json", status: 1),
    Run("diff", "Shop.momd@Shop", "Shop.momd@Shop", status: 0),
    Run("migrate-check", "Shop.momd@Shop", "Shop.momd@Shop 2", status: 0, 1),
    Run("migrate-check", "Shop.momd@Shop", "Shop.momd@Shop 2", "--format", "json", status: 0, 1),
    Run("guard", "--against", "Shop.momd", "Shop.momd", status: 0, 1),
    Run("predicate", "a > 1 AND b BEGINSWITH[c] \"x\""),
    Run("predicate", "a > 1", "--format", "json"), Run("store", "schema", "Shop.momd"),
  ]

  /// Data goes to standard output, without colors; JSON is a single document with a schema version; the same input
  /// gives the same bytes.
  @Test(arguments: runs) func aCommandThatSucceedsKeepsTheRules(run: Run) throws {
    let archives = Corpus.packageRoot.appendingPathComponent("TestArchives")
    var outputs: Set<Data> = []
    for variables in [[:], ["NO_COLOR": "1"], ["TERM": "xterm-256color"]] {
      try Tool.withTemporaryFolder { folder in
        for name in ["Shop.momd", "Shop.xcdatamodeld"] {
          try FileManager.default.copyItem(
            at: archives.appendingPathComponent(name), to: folder.appendingPathComponent(name))
        }
        let outcome = try Tool.run(arguments: run.arguments, environment: variables, in: folder)
        #expect(run.status.contains(outcome.status), "\(outcome.status): \(outcome.errors)")
        #expect(!outcome.text.contains("\u{1B}"))
        #expect(!outcome.text.contains(folder.path))
        if outcome.status == 0, run.arguments[0] != "lint", run.arguments[0] != "compile" {
          #expect(outcome.errors == "")
        }
        if run.arguments.contains("json") {
          let json = try JSONSerialization.jsonObject(with: outcome.output)
          #expect((json as? [String: Any])?["schemaVersion"] as? Int == 1)
        }
        outputs.insert(outcome.output)
      }
    }
    #expect(outputs.count == 1)
  }

  // MARK: Nothing to read

  @Test(arguments: ["dump", "hashes", "archive", "lint", "decompile", "mapping"])
  func emptyStandardInputIsCalledEmpty(command: String) throws {
    let outcome = try Tool.run(command, "-")
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("-: error: it is empty"), "\(outcome.errors)")
    #expect(outcome.errors.split(separator: "\n").count == 1)
    let verified = try Tool.run("verify", "-")
    #expect(verified.status == 2)
    #expect(verified.errors.hasPrefix("-: error: a model alone records no hashes"))
    let converted = try Tool.run("convert", "-", "-")
    #expect(converted.status == 2)
    #expect(converted.errors.hasPrefix("-: error: it is empty"), "\(converted.errors)")
  }

  /// The folders whose messages use '…' as quotes, and the files that write quotes for programs.
  static let messages = (
    folders: [
      "PropertyLists", "PredicateFormat", "DataModels", "ModelSource", "ModelListing",
      "ModelEvolution",
    ].map { "Sources/\($0)" } + ["Tools/momtool", "Tools/momc"],
    exceptions: [
      // Generated code, JSON, CSV and HTTP, and the wording of Foundation's own exceptions.
      "SwiftAccessorWriter", "SwiftType", "ObjectiveCClassWriter", "MigrationReport", "TextRows",
      "PredicateFormatting", "NSExpression+Making", "SwiftDataLiteral", "BrowseAnswer",
    ]
  )

  @Test(arguments: messages.folders) func messagesHaveOneStyleOfQuotation(folder: String) throws {
    let root = Corpus.packageRoot.appendingPathComponent(folder)
    let walk = try #require(FileManager.default.enumerator(atPath: root.path))
    var count = 0
    for case let path as String in walk where path.hasSuffix(".swift") {
      let url = root.appendingPathComponent(path)
      count += 1
      let name = url.deletingPathExtension().lastPathComponent
      if Self.messages.exceptions.contains(name) { continue }
      for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") {
        let isQuoted = ["\\\"\\(", "“", "”"].contains { line.contains($0) }
        #expect(!isQuoted, "\(folder)/\(path): \(line)")
      }
    }
    #expect(count > 0)
  }
}
