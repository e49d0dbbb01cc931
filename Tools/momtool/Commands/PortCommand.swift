import ArgumentParser
import Foundation

/// `momtool port`: runs the separate program that ports sources, which users build themselves because it requires
/// swift-syntax.
struct PortCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "port",
    abstract: "Copies a package that uses Core Data so that it builds with MomKit.",
    discussion: """
      The copy matches the original line by line, so compilers' messages and breakpoints refer to \
      the original's lines. What needs the Objective-C runtime is rewritten: @NSManaged, @objc, \
      #keyPath, #selector, overrides in extensions, casts between types of fetch requests. Sources \
      keep their "import CoreData"; the manifest gets a dependency on MomKit. The original is never \
      modified, and porting again writes only what changed.

      The report counts what was rewritten, and lists what needs attention, with file, line and \
      advice.

      The work is done by a separate program, momtool-port: next to this tool, on the PATH, or built \
      in MomKit's checkout with

        swift build --package-path Tools/Port

      EXIT STATUS
        0   nothing is left to do by hand
        1   something is
        2   trouble

      EXAMPLES
        momtool port ../Shop -o ../Shop-linux
        momtool port ../Shop --format json | jq -r '.notes[] | select(.advice) | .path'
      """)

  @Argument(help: "The folder of a package, or of sources.", completion: .directory)
  var folder: String

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "The folder of the copy. Default: the original's name with -ported, next to it.",
      valueName: "folder"), completion: .directory)
  var output: String?

  @Option(
    name: .customLong("momkit"),
    help: ArgumentHelp(
      "MomKit's location for the copy, a path or URL. Default: the checkout of momtool-port.",
      valueName: "place"))
  var momKit: String?

  @Option(help: "The output format.")
  var format = Format.text

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

  func run() throws {
    guard FileManager.default.fileExists(atPath: folder) else {
      throw Diagnostic("there is no such folder", path: folder)
    }
    let program = try PartnerProgram(name: "momtool-port", package: "Tools/Port").found()
    var arguments = [folder, "--format", format.rawValue]
    if let output { arguments += ["--output", output] }
    if let momKit { arguments += ["--momkit", momKit] }
    let process = try Process.run(URL(fileURLWithPath: program), arguments: arguments)
    process.waitUntilExit()
    guard process.terminationReason == .exit else { throw ExitCode(2) }
    if process.terminationStatus != 0 { throw ExitCode(process.terminationStatus) }
  }
}
