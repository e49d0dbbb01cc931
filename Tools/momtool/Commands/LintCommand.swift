import ArgumentParser
import DataModels
import Foundation
import ModelSource

/// `momtool lint`: checks models against rules.
struct LintCommand: ParsableCommand {
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json, github
  }

  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Checks models by rules: the compiler's, CloudKit's, and for safe transformers.",
    discussion: """
      The compiler's rules are always checked; --rules adds those for CloudKit and for security. \
      --list-rules lists all rules.

      All versions of a bundle are checked; in a folder, all sources or, if there are none, all \
      compiled models. The exit status is 1 if there are errors, and with --strict also if there are \
      warnings.

      EXAMPLES
        momtool lint Shop.xcdatamodeld
        momtool lint . --format github
        momtool lint Shop.xcdatamodeld --rules cloudkit --skip missing-inverse
        momtool lint Shop.momd --only no-action-delete-rule --strict --format github
      """)

  @Argument(
    help: ArgumentHelp("The models, or folders that contain models.", valueName: "input"),
    completion: .file())
  var inputs: [String] = []

  @Option(help: "The output format: text, json or github.")
  var format = Format.text

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Also check these sets of rules: cloudkit, security.", valueName: "sets"))
  var rules: [SourceRule.Group] = []

  @Option(
    parsing: .upToNextOption, help: ArgumentHelp("Check only these rules.", valueName: "rules"))
  var only: [SourceRule] = []

  @Option(
    parsing: .upToNextOption, help: ArgumentHelp("Don't check these rules.", valueName: "rules"))
  var skip: [SourceRule] = []

  @Flag(help: "Treat warnings as errors.")
  var strict = false

  @Flag(help: "Check only the current version of a bundle, since released ones can't be changed.")
  var currentOnly = false

  @Flag(help: "List all rules and exit.")
  var listRules = false

  @OptionGroup var colors: ColorOptions

  func validate() throws {
    if inputs.isEmpty, !listRules { throw ValidationError("Name a model to check.") }
  }

  func run() throws {
    if listRules { return try StandardOutput.write(Self.ruleList) }
    var reader = InputReader()
    let findings = inputs.flatMap(Self.parts).flatMap { input in
      reader.attempt(input) { try self.findings(in: input) } ?? []
    }
    var listing = SourceDiagnosticListing(findings)
    switch format {
    case .text:
      try StandardOutput.writeReport(TerminalPaint.findings(listing.text, isOn: colors.isOn))
      Self.reportTotals(findings)
    case .json: try StandardOutput.writeReport(listing.json())
    case .github:
      listing.diagnostics = listing.diagnostics.map { diagnostic in
        var diagnostic = diagnostic
        diagnostic.path = GitHubAnnotation.place(diagnostic.path)
        return diagnostic
      }
      try StandardOutput.writeReport(listing.gitHubAnnotations)
    }
    try reader.finish()
    if findings.contains(where: { strict || $0.severity == .error }) {
      throw ExitStatus.findings
    }
  }

  /// Reports the number of findings if there are many.
  private static func reportTotals(_ findings: [SourceDiagnostic]) {
    guard findings.count > 10 else { return }
    let errors = findings.count { $0.severity == .error }
    Diagnostics.report(
      Diagnostic(
        warning: "\(errors) errors and \(findings.count - errors) warnings in "
          + "\(Set(findings.map(\.path)).count) files", path: "lint"))
  }

  /// The input itself or, for a folder, the sources inside, sorted by path, if there are any. Symbolic links and hidden
  /// folders aren't followed.
  private static func parts(of input: String) -> [String] {
    guard (try? ModelFile(at: input))?.kind == .folder,
      let walk = FileManager.default.enumerator(
        at: URL(fileURLWithPath: input), includingPropertiesForKeys: nil,
        options: [.skipsHiddenFiles])
    else { return [input] }
    let base = input.hasSuffix("/") ? String(input.dropLast()) : input
    let start = URL(fileURLWithPath: input).path.count
    var sources: [String] = []
    while let url = walk.nextObject() as? URL {
      guard ["xcdatamodeld", "xcdatamodel"].contains(url.pathExtension) else { continue }
      walk.skipDescendants()
      let path = url.path.dropFirst(start)
      // The path as used by git and GitHub.
      sources.append(base == "." ? String(path.drop { $0 == "/" }) : base + path)
    }
    return sources.isEmpty ? [input] : sources.sorted()
  }

  private func findings(in input: String) throws -> [SourceDiagnostic] {
    var options = SourceReadingOptions()
    options.ruleGroups = Set(rules + only.map(\.group)).union([.compile])
    options.skippedRules = Set(skip)
    if !only.isEmpty { options.skippedRules = Set(SourceRule.all).subtracting(only) }
    let (documents, findings) = try documents(at: input)
    return findings.filter { !options.skippedRules.contains($0.rule) }
      + documents.flatMap { SourceModel.diagnostics(of: $0, options: options) }
  }

  /// The sources at an input, or those created from compiled models, and the diagnostics from reading them.
  private func documents(at input: String) throws -> ([SourceDocument], [SourceDiagnostic]) {
    let model = try ModelInput(input)
    // What a pipe gave is read from a copy that exists as long.
    defer { withExtendedLifetime(model) {} }
    guard let package = model.sourcePackage else {
      var reader = InputReader()
      let loaded = reader.models(in: model, currentOnly ? .current : .all)
      try reader.finish()
      return (loaded.map { SourceDocument(root: SourceWriter($0.model).root, path: $0.path) }, [])
    }
    var findings = package.diagnostics
    let versions = currentOnly ? package.currentVersion.map { [$0] } ?? [] : package.versions
    if versions.isEmpty {
      throw ModelFileError(
        noCurrentVersionAmong: package.versions.map(\.name), path: input)
    }
    let documents = versions.compactMap { version -> SourceDocument? in
      do {
        return try version.document()
      } catch let error as ModelSourceError {
        findings += error.diagnostics
      } catch {
        findings.append(
          SourceDiagnostic(.document, path: version.path, message: "can't be read: \(error)"))
      }
      return nil
    }
    return (documents, findings + Self.equalVersions(documents))
  }

  /// Reports versions that are equal, since stores of the two can't be distinguished.
  private static func equalVersions(_ documents: [SourceDocument]) -> [SourceDiagnostic] {
    var paths: [[SourceElement]: String] = [:]
    return documents.compactMap { document in
      // Positions are irrelevant, both in the editor's diagram and in the file.
      let content = document.root.children.filter { $0.name != "elements" }
        .map { $0.withoutOffsets() }
      guard let other = paths[content] else {
        paths[content] = document.path
        return nil
      }
      let name = URL(fileURLWithPath: other).deletingLastPathComponent()
        .deletingPathExtension().lastPathComponent
      return SourceDiagnostic(
        .version, severity: .warning, path: document.path,
        message: "the version says what '\(name)' says, and stores of the two can't be told apart")
    }
  }

  private static var ruleList: String {
    TextRows.aligned(
      SourceRule.all.map { [$0.rawValue, $0.group.rawValue, $0.severity.rawValue, $0.summary] })
  }
}

extension SourceRule: ExpressibleByArgument {
  /// Creates the rule with an identifier given on the command line.
  public init?(argument: String) { self.init(rawValue: argument) }

  /// The identifiers, for help and completion.
  public static var allValueStrings: [String] { all.map(\.rawValue) }
}

extension SourceRule.Group: ExpressibleByArgument {}
