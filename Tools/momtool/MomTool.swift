import ArgumentParser
import Foundation
import PropertyLists

/// The `momtool` command.
@main
struct MomTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "momtool",
    abstract: "Reads, checks and writes Core Data models, with no Apple framework.",
    discussion: """
      INPUT is a compiled model (.mom), a bundle of versions (.momd, or .momd/Version for one of \
      them), an optimized model (.omo), a SQLite store (its cached model), a source (.xcdatamodeld, \
      .xcdatamodel), an .app or another folder that contains compiled models, or - for a compiled \
      model or a source's contents on standard input. A version of a bundle can also follow an @ \
      sign, as in Shop.momd@V2; git:REVISION:PATH reads from a git repository, and git::PATH what is \
      staged there.

      EXAMPLES
        momtool dump Shop.momd
        momtool dump Shop.momd --format json | jq '.models[].model.entities[].name'
        momtool hashes Shop.momd
        momtool verify Shop.app

      EXIT STATUS
        0   success
        1   there are differences or findings
        2   trouble: an input can't be read, or an output can't be written
        64  the command line is invalid

      momtool --version shows momtool's version.
      """,
    subcommands: [
      DumpCommand.self, ReportCommand.self, BrowseCommand.self, ArchiveCommand.self,
      ConvertCommand.self, HashesCommand.self,
      VerifyCommand.self, CompileCommand.self, DecompileCommand.self, LintCommand.self,
      GenerateCommand.self, DiffCommand.self, MergeCommand.self, GuardCommand.self,
      MigrateCheckCommand.self, IdentifyCommand.self, GitSetupCommand.self,
      PredicateCommand.self, MappingCommand.self, StoreCommand.self, TextConversionCommand.self,
      PortCommand.self, SchemaCommand.self,
    ])

  /// Refuses an unknown command, suggesting the one that was probably intended.
  private static func refuseTypo(in arguments: [String]) throws {
    var type: any ParsableCommand.Type = MomTool.self
    for argument in arguments {
      let subcommands = type.configuration.subcommands
      // What follows is the command whose help is wanted.
      if argument == "help" { continue }
      guard !subcommands.isEmpty, !argument.hasPrefix("-") else { return }
      guard let next = subcommands.first(where: { $0._commandName == argument }) else {
        let shown = subcommands.filter { $0.configuration.shouldDisplay }
        let names = shown.map { $0._commandName }
        throw ValidationError(
          "There is no command '\(argument)'" + DidYouMean.text(argument, among: names) + ".")
      }
      type = next
    }
  }

  /// Refuses a file name that would be parsed as options: `-h` is the help option, as is any group of letters
  /// containing `h`.
  private static func refuseDashedFile(in arguments: [String]) throws {
    for (index, argument) in arguments.enumerated() {
      if argument == "--" { return }
      let isValue = index > 0 && arguments[index - 1].hasPrefix("-")
      // The other single-letter options are -o, which takes a value, and -x.
      guard argument.hasPrefix("-"), !argument.hasPrefix("--"), !argument.hasPrefix("-o"),
        argument.count > 2, argument.contains("h"), !isValue
      else { continue }
      throw ValidationError(
        "'\(argument)' would be parsed as options; write ./\(argument) for the file of that name.")
    }
  }

  /// Prints requested text, such as help.
  ///
  /// - Returns: The exit status.
  private static func printed(_ text: String) -> ExitCode {
    do {
      try StandardOutput.write(text.hasSuffix("\n") ? text : text + "\n")
      return .success
    } catch let status as ExitCode {
      return status
    } catch {
      Diagnostics.report(error)
      return ExitStatus.trouble
    }
  }

  /// Runs the tool, and exits with its status.
  static func main() {
    StandardOutput.fillClosedDescriptors()
    StandardOutput.ignoreBrokenPipes()
    UnfinishedFiles.removeWhenSignalsEnd()
    StandardOutput.widenNarrowTerminal()
    do {
      // Swift reads the arguments from there, and finds none: without this, the tool would print its help.
      if CommandLine.arguments.isEmpty {
        throw Diagnostic(
          "the arguments can't be read from /proc/self/cmdline: is /proc mounted?", path: nil)
      }
      // The configuration's version isn't used, because its option would be shown for every command, beside the
      // versions of models that commands take.
      if CommandLine.arguments.dropFirst() == ["--version"] {
        return try StandardOutput.write(ToolVersion.text + "\n")
      }
      let arguments = PredicateCommand.arranged(Array(CommandLine.arguments.dropFirst()))
      try refuseTypo(in: arguments)
      try refuseDashedFile(in: arguments)
      var command = try parseAsRoot(arguments)
      try command.run()
    } catch {
      // Exit statuses, help and invalid command lines are handled by the parser; everything else is trouble.
      switch exitCode(for: error) {
      case .failure where !(error is ExitCode):
        Diagnostics.report(error)
        exit(withError: ExitStatus.trouble)
      case .success where !(error is ExitCode):
        exit(withError: printed(fullMessage(for: error)))
      default:
        exit(withError: error)
      }
    }
  }
}

/// The output of `momtool --version`.
enum ToolVersion {
  /// The version of MomKit.
  static let number = "0.1.0"

  static var text: String { "momtool \(number)" }
}
