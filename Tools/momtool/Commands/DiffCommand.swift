import ArgumentParser
import DataModels
import Foundation
import ModelEvolution
import ModelSource

/// `momtool diff`: shows the differences between models.
struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Shows what changed from one model to another.",
    discussion: """
      An input is a model in any form, a version of a bundle (Shop.xcdatamodeld@V3), a store, or any \
      of these in git (git:REVISION:PATH; a path that begins with ./ is relative to the current \
      folder). For a bundle without a version, the current one is used.

      A single bundle shows the changes from each version to the next.

      Each change shows whether it affects the version hash of its entity, in which case stores need \
      to be migrated. Renamed elements are recognized by their renaming identifiers.

      EXAMPLES
        momtool diff Shop.xcdatamodeld@V3 Shop.xcdatamodeld@V4
        momtool diff git:main:App/Shop.xcdatamodeld App/Shop.xcdatamodeld --format markdown
        momtool diff Shop.sqlite Shop.momd
        momtool diff Shop.xcdatamodeld --format json | jq '.reports[].changes[].path'

      The exit status is 1 if there are differences.
      """)

  @Argument(
    help: ArgumentHelp("The old and the new model, or one bundle.", valueName: "input"),
    completion: .file())
  var inputs: [String]

  @OptionGroup var report: ReportOptions

  @Flag(help: "Show only what changes version hashes.")
  var hashOnly = false

  @Flag(help: "Exit with status 0 even if there are differences.")
  var exitZero = false

  @Flag(
    help: ArgumentHelp(
      "Run as git's difftool: files that aren't models are compared as text.",
      visibility: .hidden))
  var gitDifftool = false

  func validate() throws {
    guard (1...2).contains(inputs.count) else {
      throw ValidationError("Give two models, or one bundle.")
    }
  }

  func run() throws {
    let reports =
      if inputs.count == 1 {
        try steps()
      } else if gitDifftool {
        try gitComparisons()
      } else {
        try [comparison(inputs[0], inputs[1])]
      }
    if !gitDifftool || inputs.count == 1 { try report.write(reports) }
    if !exitZero, reports.contains(where: { !$0.difference.isEmpty }) {
      throw ExitStatus.findings
    }
  }

  /// Shows one difference after the other, models as such and all other files as text; returns those of models.
  private func gitComparisons() throws -> [DifferenceReport] {
    let whole = [(old: inputs[0], new: inputs[1])]
    return try (FolderPairs(inputs[0], inputs[1])?.pairs ?? whole).compactMap { old, new in
      guard [old, new].allSatisfy({ (try? HistoryInput($0, reading: .selected)) != nil }) else {
        try compareTexts(old, new)
        return nil
      }
      let compared = try comparison(old, new)
      try report.write([compared])
      return compared
    }
  }

  /// Compares files with git if one of them isn't a model, such as `.xccurrentversion` or an empty file.
  private func compareTexts(_ old: String, _ new: String) throws {
    let process = try Process.run(
      URL(fileURLWithPath: "/usr/bin/env"),
      arguments: ["git", "--no-pager", "diff", "--no-index", "--no-ext-diff", "--", old, new])
    process.waitUntilExit()
  }

  private func comparison(_ before: String, _ after: String) throws -> DifferenceReport {
    let old = try HistoryInput.required(before, reading: .selected)
    let new = try HistoryInput.required(after, reading: .selected)
    let difference = ModelDifference(from: try old.model(), to: try new.model())
    if difference.isEmpty {
      Self.tellOfSources(of: try old.model(), and: try new.model(), path: new.title)
    }
    return DifferenceReport(filtered(difference), from: old.title, to: new.title)
  }

  /// Warns if the sources of two equal models differ, since git reports them as changed.
  private static func tellOfSources(
    of old: NSManagedObjectModel, and new: NSManagedObjectModel, path: String
  ) {
    guard let before = SourceDetailListing(of: old)?.lines,
      let after = SourceDetailListing(of: new)?.lines
    else { return }
    let changes = after.difference(from: before)
    guard let first = changes.insertions.first ?? changes.removals.first else { return }
    let line =
      switch first {
      case .insert(_, let line, _), .remove(_, let line, _): line
      }
    Diagnostics.report(
      Diagnostic(
        warning: "the models are equal, but the sources differ in content that models don't have: "
          + "\(changes.insertions.isEmpty ? "no more " : "")\(line)"
          + (changes.count > 2 ? ", and more" : ""), path: path))
  }

  private func steps() throws -> [DifferenceReport] {
    let input = try HistoryInput.required(inputs[0], reading: .readable)
    guard input.history.versions.count > 1 else {
      Diagnostics.report(
        Diagnostic(
          warning: "there is only one version, so there are no changes to show", path: inputs[0]))
      return []
    }
    return input.history.steps.map {
      DifferenceReport(filtered($0.difference), from: $0.old.name, to: $0.new.name)
    }
  }

  private func filtered(_ difference: ModelDifference) -> ModelDifference {
    hashOnly ? difference.onlyChangingHashes : difference
  }
}
