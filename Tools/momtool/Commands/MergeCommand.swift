import ArgumentParser
import DataModels
import Foundation
import ModelEvolution

/// Merges models and bundles.
struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merges models: several into one, or two sides of a common base.",
    discussion: """
      Several models become one as Core Data merges them: an entity that several have in the same \
      way is taken once, different ones of one name are an error.

      With --base, --ours and --theirs, what both sides changed is put together, fact by fact, for a \
      model or for all versions of a bundle. Contradictions are listed, nothing is written, and the \
      exit status is 1; with --keep-conflicts the output is written all the same, with ours in their \
      place and the list in conflicts.json beside it (or in the bundle). --renumber puts a version \
      that both sides added on top of ours under the next number, and makes it the current one.

      EXAMPLES
        momtool merge Core.mom Extras.mom -o All.mom
        momtool merge --base git:main:Shop.xcdatamodeld --ours Shop.xcdatamodeld \
      --theirs git:topic:Shop.xcdatamodeld --renumber -o Shop.xcdatamodeld

      As git's merge driver, set up by git-setup:
        momtool merge --git-driver %O %A %B %P
      """)

  @Argument(
    help: ArgumentHelp("The models to put together; the driver's four files.", valueName: "input"),
    completion: .file())
  var inputs: [String] = []

  @Option(help: "The model or bundle both sides started from.", completion: .file())
  var base: String?

  @Option(help: "Our side.", completion: .file())
  var ours: String?

  @Option(help: "Their side.", completion: .file())
  var theirs: String?

  @Option(name: .shortAndLong, help: "Where to write the result.", completion: .file())
  var output: String?

  @Flag(help: "Give a version that both sides added the next number.")
  var renumber = false

  @Flag(help: "Write the result also when there are conflicts.")
  var keepConflicts = false

  @Flag(help: ArgumentHelp("Merge as git's merge driver: %O %A %B %P.", visibility: .hidden))
  var gitDriver = false

  @OptionGroup var colors: ColorOptions

  func validate() throws {
    if gitDriver {
      guard inputs.count == 4 else { throw ValidationError("A git driver gets %O %A %B %P.") }
      return
    }
    guard output != nil else { throw ValidationError("Give an output: -o.") }
    let sides = [base, ours, theirs].compactMap { $0 }
    guard sides.isEmpty || sides.count == 3 else {
      throw ValidationError("Give --base, --ours and --theirs together.")
    }
    guard sides.isEmpty != inputs.isEmpty else {
      throw ValidationError("Give models to put together, or --base, --ours and --theirs.")
    }
  }

  func run() throws {
    if gitDriver {
      try GitMergeDriver(
        base: inputs[0], ours: inputs[1], theirs: inputs[2], path: inputs[3]
      ).run()
    } else if let base, let ours, let theirs {
      try mergeSides(base, ours, theirs)
    } else {
      try union()
    }
  }

  private func union() throws {
    let output = try ModelOutput(output ?? "")
    let models = try inputs.map { path in
      try InputReader.reported(path) {
        let model = try HistoryInput(path).model()
        // So that a conflict names the file.
        model.origin = path
        return model
      }
    }
    do {
      let model = try NSManagedObjectModel.merging(models)
      try output.write(
        ModelHistory([(name: "Model", model: model)], currentVersionName: "Model"), conflicts: nil)
    } catch let error as ModelError {
      Diagnostics.report(Diagnostic("\(error)"))
      throw ExitStatus.findings
    }
  }

  private func mergeSides(_ base: String, _ ours: String, _ theirs: String) throws {
    var output = try ModelOutput(output ?? "")
    let sides = try [base, ours, theirs].map { path in
      try HistoryInput.required(path)
    }
    let merged: ModelHistory
    let conflicts: [HistoryMerge.Conflict]
    let areBundles = sides.allSatisfy { !$0.isSingle || $0.name.hasBundleName }
    if areBundles, sides.contains(where: { $0.name.hasBundleName }) {
      let merge = try HistoryMerge(
        base: sides[0].history, ours: sides[1].history, theirs: sides[2].history,
        renumbering: renumber)
      for step in merge.renumberings {
        Diagnostics.report(Diagnostic(warning: "theirs' version \(step.from) is \(step.to) now"))
      }
      merged = merge.history
      output.original = sides[1].versionInfo
      for version in merged.versions {
        let name = merge.renumberings.first { $0.to == version.name }?.from ?? version.name
        output.donors[version.name] = sides[2].history[name]?.model
      }
      conflicts = merge.conflicts
    } else {
      let merge = try ModelMerge(
        base: sides[0].model(), ours: sides[1].model(), theirs: sides[2].model())
      let name = sides[1].selected?.name ?? "Model"
      merged = ModelHistory([(name: name, model: merge.model)], currentVersionName: name)
      output.donors[name] = sides[2].selected?.model
      conflicts = MergeReport(merge.conflicts).conflicts
    }
    let report = MergeReport(conflicts)
    if conflicts.isEmpty || keepConflicts {
      try output.write(merged, conflicts: conflicts.isEmpty ? nil : report.json)
    }
    if !conflicts.isEmpty {
      try StandardOutput.write(report.text(paint: TerminalPaint.report(isOn: colors.isOn)))
      throw ExitStatus.findings
    }
  }
}

extension String {
  /// Whether the path names a bundle of versions.
  fileprivate var hasBundleName: Bool {
    hasSuffix(".xcdatamodeld") || hasSuffix(".momd") || hasSuffix(".xcdatamodeld/")
      || hasSuffix(".momd/")
  }
}
