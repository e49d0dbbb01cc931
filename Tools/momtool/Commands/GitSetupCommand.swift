import ArgumentParser
import DataModels
import Foundation
import ModelEvolution

/// `momtool git-setup`: configures git to show and merge models with this tool.
struct GitSetupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "git-setup",
    abstract: "Configures git to show and merge models with momtool.",
    discussion: """
      Sets up this repository or, with --global, all of yours:
        git diff         shows models as text (a textconv driver)
        git difftool     -t momtool shows what changed, and what it does to version hashes
        git merge        merges sources fact by fact, and stops with the conflict named

      and writes the lines of .gitattributes that apply to models. Every step is printed; --undo \
      reverts all of them.

      What git diff and git blame show of a model is its text: git diff --no-textconv and git blame --no-textconv \
      show the file, and make patches that can be applied, as git format-patch does by itself.

      EXAMPLES
        momtool git-setup --dry-run
        momtool git-setup --global
        momtool git-setup --undo
      """)

  @Flag(help: "Set up for all of your repositories.")
  var global = false

  @Flag(help: "Undo the setup.")
  var undo = false

  @Flag(help: "Print what would be done without doing it.")
  var dryRun = false

  @Option(help: "The output format: text or json.")
  var format = PlainFormat.text

  @Option(
    help: ArgumentHelp(
      "How git runs this tool. Default: momtool if it is on the PATH, otherwise its path.",
      valueName: "program"))
  var command: String?

  func run() throws {
    let here = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
    let setup: GitSetup
    if global {
      let configuration = GitConfiguration(.global, folder: here)
      setup = GitSetup(
        configuration: configuration, attributes: try Self.globalAttributes(configuration),
        isDryRun: dryRun)
    } else {
      let repository = try GitRepository(containing: here)
      guard !repository.isBare else {
        throw Diagnostic(
          "the repository is bare, so nothing is shown or merged in it; --global sets up your other repositories",
          path: repository.root.path)
      }
      setup = GitSetup(
        configuration: GitConfiguration(.local, folder: repository.root),
        attributes: repository.root.appendingPathComponent(".gitattributes"), isDryRun: dryRun)
    }
    let steps = try undo ? setup.undo() : setup.install(program: program)
    switch format {
    case .text: try StandardOutput.write(steps.map { $0 + "\n" }.joined())
    case .json:
      try StandardOutput.write(
        JSONReport.object([
          "schemaVersion": .integer(1), "steps": .array(steps.map(JSONReport.text)),
        ]).document)
    }
  }

  private var program: String {
    if let command { return command }
    if SearchPath.program(named: "momtool") != nil { return "momtool" }
    return Bundle.main.executablePath ?? CommandLine.arguments[0]
  }

  /// The user's attributes file: the configured one, or else git's default.
  private static func globalAttributes(_ configuration: GitConfiguration) throws -> URL {
    // Like git, use HOME: in containers it differs from the home folder in the user database.
    let home =
      ProcessInfo.processInfo.environment["HOME"].flatMap { $0.isEmpty ? nil : $0 }
      .map { URL(fileURLWithPath: $0) } ?? FileManager.default.homeDirectoryForCurrentUser
    if let path = try configuration.value(of: "core.attributesFile") {
      return path.hasPrefix("~/")
        ? home.appendingPathComponent(String(path.dropFirst(2))) : URL(fileURLWithPath: path)
    }
    let folder =
      ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 }
      .map { URL(fileURLWithPath: $0) }
      ?? home.appendingPathComponent(".config")
    return folder.appendingPathComponent("git/attributes")
  }
}

/// Installs and removes the drivers and attributes.
struct GitSetup {
  let configuration: GitConfiguration
  let attributes: URL
  let isDryRun: Bool

  private static let begin = "# momtool: models as text, merged fact by fact"
  private static let end = "# momtool end"
  private static let lines = [
    "**/*.xcdatamodel/contents diff=momtool merge=momtool", ".xccurrentversion merge=momtool",
    "*.mom diff=momtool -merge -text", "*.omo diff=momtool -merge -text",
  ]
  private static let cache = "refs/notes/textconv/momtool"
  private static let sections = ["diff.momtool", "difftool.momtool", "merge.momtool"]

  /// Performs all steps, and returns a description of each.
  ///
  /// - Throws: `GitError`, or ``Diagnostic`` when the attributes can't be written.
  func install(program: String) throws -> [String] {
    let quoted = "'" + program.replacing(scalar: "'", with: "'\\''") + "'"
    let call =
      program.allSatisfy { $0.isLetter || $0.isNumber || "/._-".contains($0) }
      ? program : quoted
    // If the tool is gone, or ends by a signal, git must still show and merge the files as text. It must not cache what it
    // shows: a file shown as text once, by a program with another PATH, would remain so for good.
    let settings = [
      (
        "diff.momtool.textconv",
        "f() { \(call) textconv --form \(TextConversionCommand.form) \"$1\" || cat \"$1\"; }; f"
      ),
      ("diff.momtool.cachetextconv", "false"),
      ("diff.momtool.xfuncname", "^(entity .*)$"),
      ("difftool.momtool.cmd", "\(call) diff --git-difftool --exit-zero \"$LOCAL\" \"$REMOTE\""),
      ("merge.momtool.name", "Core Data models, fact by fact"),
      (
        "merge.momtool.driver",
        "f() { \(call) merge --git-driver \"$@\"; s=$?; [ $s -lt 126 ] && return $s; "
          + "git merge-file -L ours -L base -L theirs \"$2\" \"$1\" \"$3\"; }; f %O %A %B %P"
      ),
      // Not merge.momtool.recursive: the only other driver takes the oldest of several common ancestors, to which undoing
      // what a later one did is no change, so that it would be done again.
    ]
    var steps: [String] = []
    for (key, value) in settings {
      if !isDryRun { try configuration.set(key, to: value) }
      steps.append("git config --\(configuration.scope.rawValue) \(key) = \(value)")
    }
    // What earlier set-ups cached may be such text.
    try removeCache(&steps)
    let old = try readAttributes()
    // The line ending of the existing lines.
    let lineEnd: [UInt8] = old.contains(0x0D) ? [0x0D, 0x0A] : [0x0A]
    var new = Self.withoutBlock(old)
    if let last = new.last, last != 0x0A { new += lineEnd }
    for line in [Self.begin] + Self.lines + [Self.end] { new += Array(line.utf8) + lineEnd }
    try write(new)
    return steps + Self.lines.map { "\(attributes.path): \($0)" }
  }

  /// Reverts all steps, and returns a description of each.
  func undo() throws -> [String] {
    var steps: [String] = []
    for section in Self.sections {
      let wasThere =
        try isDryRun
        ? configuration.value(of: "\(section).\(Self.firstKey(of: section))") != nil
        : configuration.removeSection(section)
      if wasThere {
        steps.append("removed section \(section) of the \(configuration.scope) config")
      }
    }
    try removeCache(&steps)
    let old = try readAttributes()
    let kept = Self.withoutBlock(old)
    if kept != old {
      if kept.isEmpty {
        if !isDryRun { try FileManager.default.removeItem(at: attributes) }
      } else {
        try write(kept)
      }
      steps.append("removed momtool's lines from \(attributes.path)")
    }
    return steps.isEmpty ? ["nothing was set up"] : steps
  }

  private func removeCache(_ steps: inout [String]) throws {
    guard configuration.scope == .local, try configuration.hasReference(Self.cache) else { return }
    if !isDryRun { try configuration.removeReference(Self.cache) }
    steps.append("removed \(Self.cache), where git kept converted models")
  }

  private static func firstKey(of section: String) -> String {
    switch section {
    case "diff.momtool": "textconv"
    case "difftool.momtool": "cmd"
    default: "driver"
    }
  }

  private func readAttributes() throws -> [UInt8] {
    guard FileManager.default.fileExists(atPath: attributes.path) else { return [] }
    return try InputFile.bytes(at: attributes.path)
  }

  private func write(_ text: [UInt8]) throws {
    guard !isDryRun else { return }
    try OutputFolder.make(attributes.deletingLastPathComponent().path)
    try InputFile.write(text, to: attributes.path)
  }

  /// Removes the lines that this tool wrote, whatever their line endings, which checkouts on other systems change. Other
  /// lines are kept byte for byte.
  private static func withoutBlock(_ text: [UInt8]) -> [UInt8] {
    var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
    func isLine(_ line: ArraySlice<UInt8>, _ wanted: String) -> Bool {
      (line.last == 0x0D ? line.dropLast() : line).elementsEqual(wanted.utf8)
    }
    while let start = lines.firstIndex(where: { isLine($0, begin) }),
      let finish = lines[start...].firstIndex(where: { isLine($0, end) })
    {
      lines.removeSubrange(start...finish)
    }
    return Array(lines.joined(separator: [0x0A]))
  }
}
