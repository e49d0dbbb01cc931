import ArgumentParser
import DataModels
import Foundation
import ModelEvolution
import ModelSource

/// `momtool merge`: merges models and bundles.
struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merges models: several into one, or two sides of a common base.",
    discussion: """
      Several models are merged as Core Data does: an entity that is the same in several is used \
      once; different entities with the same name are an error.

      With --base, --ours and --theirs, the changes of both sides are combined, fact by fact, for a \
      model or for all versions of a bundle. If there are conflicts, they are listed, nothing is \
      written, and the exit status is 1. With --keep-conflicts, the output is written nevertheless, \
      with our side where there are conflicts, and with the list in conflicts.json next to it (or in \
      the bundle). If both sides added a version with the same number, --renumber bases one of them \
      on the other side's current version, under the next number, and makes it the current one: \
      theirs, unless theirs added more versions than ours.

      --explain describes the conflicts in the files that git left unmerged. Every command accepts \
      the sides as git:1:PATH (the base), git:2:PATH (ours) and git:3:PATH (theirs).

      EXAMPLES
        momtool merge Core.mom Extras.mom -o All.mom
        momtool merge --base git:main:Shop.xcdatamodeld --ours Shop.xcdatamodeld \
      --theirs git:topic:Shop.xcdatamodeld --renumber -o Shop.xcdatamodeld

      As git's merge driver, set up by git-setup:
        momtool merge --git-driver %O %A %B %P
      """)

  @Argument(
    help: ArgumentHelp("The models to merge, or the driver's four files.", valueName: "input"),
    completion: .file())
  var inputs: [String] = []

  @Option(help: "The common ancestor of both sides: a model or bundle.", completion: .file())
  var base: String?

  @Option(help: "Our side.", completion: .file())
  var ours: String?

  @Option(help: "Their side.", completion: .file())
  var theirs: String?

  @Option(name: .shortAndLong, help: "Where to write the result.", completion: .file())
  var output: String?

  @Flag(help: "Assign the next number to a version that both sides added.")
  var renumber = false

  @Flag(help: "Write the result even if there are conflicts.")
  var keepConflicts = false

  @Flag(help: "Explain the conflicts in the given files, or in all that git left unmerged.")
  var explain = false

  @Flag(help: ArgumentHelp("Merge as git's merge driver: %O %A %B %P.", visibility: .hidden))
  var gitDriver = false

  @OptionGroup var colors: ColorOptions

  func validate() throws {
    if gitDriver {
      guard inputs.count == 4 else {
        throw ValidationError("A git merge driver takes %O %A %B %P.")
      }
      return
    }
    if explain {
      guard output == nil, base == nil, ours == nil, theirs == nil else {
        throw ValidationError("--explain takes nothing but paths.")
      }
      return
    }
    guard output != nil else { throw ValidationError("Specify the output with -o.") }
    let sides = [base, ours, theirs].compactMap { $0 }
    guard sides.isEmpty || sides.count == 3 else {
      throw ValidationError("Give --base, --ours and --theirs together.")
    }
    guard sides.isEmpty != inputs.isEmpty else {
      throw ValidationError("Give models to merge, or --base, --ours and --theirs.")
    }
  }

  func run() throws {
    if gitDriver {
      try GitMergeDriver(
        base: inputs[0], ours: inputs[1], theirs: inputs[2], path: inputs[3]
      ).run()
    } else if explain {
      try GitMergeDriver.explain(inputs, colors: colors)
    } else if let base, let ours, let theirs {
      try mergeSides(base: base, ours: ours, theirs: theirs)
    } else {
      try union()
    }
  }

  private func union() throws {
    let output = try ModelOutput(output ?? "")
    let models = try inputs.map { path in
      try InputReader.reported(path) {
        let model = try HistoryInput(path, reading: .selected).model()
        // Used in conflict messages.
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

  private func mergeSides(base: String, ours: String, theirs: String) throws {
    var output = try ModelOutput(output ?? "")
    let sides = try [base, ours, theirs].map { path in
      try HistoryInput.required(path)
    }
    let merged: ModelHistory
    var conflicts: [HistoryMerge.Conflict]
    let areBundles = sides.allSatisfy { !$0.isSingle || $0.name.hasBundleName }
    if areBundles, sides.contains(where: { $0.name.hasBundleName }) {
      let merge = try HistoryMerge(
        base: sides[0].history, ours: sides[1].history, theirs: sides[2].history,
        renumbering: renumber, isEdited: SourceDetailListing.areDifferent)
      for step in merge.renumberings {
        let side = step.side == .ours ? "our" : "theirs'"
        Diagnostics.report(Diagnostic(warning: "\(side) version \(step.from) is now \(step.to)"))
      }
      if let mine = merge.contestedCurrentVersions.first,
        let yours = merge.contestedCurrentVersions.last,
        let taken = merge.history.currentVersionName
      {
        Diagnostics.report(
          Diagnostic(warning: ContestedCurrentVersion.message(mine, yours, taken: taken)))
      }
      merged = merge.history
      output.original = sides[1].versionInfo
      output.sides = merge.sides
      conflicts = merge.conflicts
    } else {
      let (base, theirs) = try (sides[0].model(), sides[2].model())
      let merge = try ModelMerge(base: base, ours: sides[1].model(), theirs: theirs)
      let name = sides[1].selected?.name ?? "Model"
      merged = ModelHistory([(name: name, model: merge.model)], currentVersionName: name)
      output.sides[name] = HistoryMerge.Sides(base: base, theirs: theirs, names: merge.names)
      conflicts = MergeReport(merge.conflicts).conflicts
    }
    conflicts += output.sourceConflicts(of: merged)
    if conflicts.isEmpty { conflicts = output.misreadings(of: merged) }
    let report = MergeReport(conflicts)
    if conflicts.isEmpty || keepConflicts {
      try output.write(merged, conflicts: conflicts.isEmpty ? nil : report.json)
    }
    if !conflicts.isEmpty {
      try StandardOutput.writeReport(report.text(paint: TerminalPaint.report(isOn: colors.isOn)))
      throw ExitStatus.findings
    }
  }
}

extension String {
  /// Whether the path has the extension of a bundle of versions.
  fileprivate var hasBundleName: Bool {
    hasSuffix(".xcdatamodeld") || hasSuffix(".momd") || hasSuffix(".xcdatamodeld/")
      || hasSuffix(".momd/")
  }
}
