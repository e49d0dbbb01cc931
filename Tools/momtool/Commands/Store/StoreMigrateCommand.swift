import ArgumentParser
import DataModels
import Foundation
import ManagedObjects
import ModelEvolution
import PropertyLists

/// `momtool store migrate`: migrates a store to another version of its model.
struct StoreMigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Migrates a store to another version of its model.",
    discussion: """
      The store is migrated in place, either completely or, if anything fails, not at all. With \
      --output, a copy is migrated and the store isn't changed. If there is a mapping model (.cdm or \
      .xcmappingmodel) for the two versions next to the model, it is used; otherwise a mapping is \
      inferred. Migration policy classes can't run here.

      Objects and values that the new model can't hold, or that a mapping model forgets, are counted \
      first; if there are any, nothing is done without --allow-data-loss.

      EXAMPLES
        momtool store migrate Shop.sqlite --to Shop.momd --dry-run
        momtool store migrate Shop.sqlite --to Shop.momd
        momtool store migrate Shop.sqlite --to New.mom --mapping OldToNew.cdm --output New.sqlite

      The exit status is 1 if the store can't be migrated, or only with losses.
      """)

  @OptionGroup var input: StoreInput

  @Option(
    help: ArgumentHelp(
      "The model to migrate to; for a bundle, its current version.", valueName: "model"),
    completion: .file())
  var to: String

  @Option(
    help: ArgumentHelp("A mapping model, compiled or as source.", valueName: "file"),
    completion: .file(extensions: ["cdm", "xcmappingmodel"]))
  var mapping: String?

  @Flag(help: "Infer the mapping even if there is a mapping model.")
  var infer = false

  @Flag(help: "Migrate even if objects or values are lost.")
  var allowDataLoss = false

  @Option(
    help: ArgumentHelp("Migrate a copy at this path, which must not exist.", valueName: "copy"),
    completion: .file())
  var output: String?

  @Flag(help: "Report what would happen, by migrating a temporary copy.")
  var dryRun = false

  @OptionGroup var colors: ColorOptions

  func validate() throws {
    if infer, mapping != nil { throw ValidationError("Give --mapping or --infer, not both.") }
  }

  func run() throws {
    let input = try input.opened()
    let source = try input.loadModel(guessing: false)
    // A file with views in place of its tables is refused: copying their rows might never end.
    _ = try input.openRows()
    let target = try destination()
    let verdict = MigrationVerdict(from: source, to: target.model)
    let isNeeded = verdict.outcome != .notNeeded || output != nil
    let mapping = isNeeded ? try chosenMapping(from: source, to: target.model) : nil
    if dryRun { try describe(verdict, mapping, from: input.store, to: target.name) }
    guard isNeeded else {
      if !dryRun { try StandardOutput.write("the store already has this version\n") }
      return
    }
    let isLossy = try reportLosses(
      of: input, by: verdict, mapped: mapping.map { MappingLosses($0, to: target.model) },
      names: InferredNames(from: source, to: target.model))
    if !dryRun, output == nil { try refuseUnwritable() }
    let migration = Migration(
      store: input.store, source: source, target: target.model, mapping: mapping)
    let counts: [(String, Int)]
    if dryRun {
      let folder = try TemporaryFolder()
      defer { withExtendedLifetime(folder) {} }
      counts = try migration.runOnCopy(folder.url.appendingPathComponent("store.sqlite"))
    } else if let output {
      try NewFile.check(output)
      counts = try NewFile.make(output) { try migration.runOnCopy($0) }
    } else {
      counts = try migration.run(URL(fileURLWithPath: input.store))
    }
    let heading = dryRun ? "it would contain these objects" : "migrated to \(target.name)"
    try StandardOutput.write(
      heading + "\n" + TextRows.aligned(counts.map { [$0.0, "\($0.1)"] }))
    // As it would end without --dry-run.
    if isLossy, !allowDataLoss { throw ExitStatus.findings }
  }

  /// Shows the mapping model, or what is inferred without one.
  private func describe(
    _ verdict: MigrationVerdict, _ mapping: NSMappingModel?, from store: String, to name: String
  ) throws {
    let paint = TerminalPaint.report(isOn: colors.isOn)
    guard let mapping else {
      let report = MigrationReport(verdict, from: store, to: name)
      return try StandardOutput.write(report.text(paint: paint))
    }
    try StandardOutput.write(
      paint(.heading, "\(store) → \(name)") + ": migration with a mapping model\n"
        + MappingReport(mapping).text(paint: paint))
  }

  /// Migrating in place requires a writable store, and a writable folder for the copy beside it.
  private func refuseUnwritable() throws {
    let folder = URL(fileURLWithPath: input.store).resolvingSymlinksInPath()
      .deletingLastPathComponent().path
    for path in [input.store, folder] where access(path, W_OK) != 0 {
      let what = path == folder ? "its folder isn't writable" : "it can't be written"
      throw Diagnostic("\(what): \(String(cString: strerror(errno)))", path: input.store)
    }
  }

  /// The destination model and its display name.
  private func destination() throws -> (model: NSManagedObjectModel, name: String) {
    let loaded = try InputReader.single(at: to) { $0.models(at: to, .current) }
    let isNamed = loaded.version != nil && !to.contains("@")
    return (loaded.model, isNamed ? "\(to)@\(loaded.version ?? "")" : to)
  }

  /// The given mapping model, or a matching one beside the model; nil for an inferred one.
  private func chosenMapping(
    from source: NSManagedObjectModel, to target: NSManagedObjectModel
  ) throws -> NSMappingModel? {
    if let mapping {
      let named = try InputReader.reported(mapping) { try MappingInput.mapping(at: mapping) }
      try Self.refusePolicies(of: named, at: mapping)
      return named
    }
    guard !infer, let found = MappingSearch(beside: to).mapping(from: source, to: target) else {
      return nil
    }
    try Self.refusePolicies(of: found.mapping, at: found.path)
    Diagnostics.report(Diagnostic(warning: "using this mapping model", path: found.path))
    return found.mapping
  }

  /// Refuses a mapping model that requires custom migration policy classes.
  private static func refusePolicies(of mapping: NSMappingModel, at path: String) throws {
    let policies = mapping.entityMappings.compactMap(\.entityMigrationPolicyClassName)
    guard let policy = policies.first(where: { !$0.isEmpty }) else { return }
    Diagnostics.report(
      Diagnostic(
        "the mapping requires the policy class \(policy), which can't run here; --infer migrates without it",
        path: path))
    throw ExitStatus.findings
  }

  /// Counts what would be lost, and aborts the command if that isn't allowed; returns whether anything would be.
  private func reportLosses(
    of input: StoreInput, by verdict: MigrationVerdict, mapped: MappingLosses?,
    names: InferredNames
  ) throws -> Bool {
    let rows = try input.openRows()
    defer { withExtendedLifetime(input) {} }
    var losses: [String] = []
    if let mapped {
      for entity in rows.entities {
        if !mapped.isNamed(entity) {
          let count = try rows.ownObjectCount(of: entity.name)
          guard count > 0 else { continue }
          losses.append("\(Self.counted(count, "object")) of \(entity.name): no mapping names it")
        }
        for name in mapped.attributes(of: entity) + mapped.relationships(of: entity) {
          let count = try rows.valueCount(of: name, in: entity.name)
          guard count > 0 else { continue }
          losses.append(
            "\(entity.name).\(name) of \(Self.counted(count, "object")): no mapping takes it along")
        }
      }
    } else {
      for finding in verdict.findings where finding.rule.effect == .loses {
        if let loss = try Self.loss(finding, in: rows, names: names) { losses.append(loss) }
      }
    }
    guard !losses.isEmpty else { return false }
    let isRefused = !allowDataLoss && !dryRun
    for loss in losses {
      let text = "\(allowDataLoss ? "lost" : "would be lost"): \(loss)"
      Diagnostics.report(
        isRefused
          ? Diagnostic(text, path: input.store) : Diagnostic(warning: text, path: input.store))
    }
    guard isRefused else { return true }
    Diagnostics.report(
      Diagnostic("nothing was changed; use --allow-data-loss to migrate anyway", path: input.store))
    throw ExitStatus.findings
  }

  /// A description of what a finding would lose in this store; nil for nothing.
  private static func loss(
    _ finding: MigrationFinding, in rows: StoreRows, names: InferredNames
  ) throws -> String? {
    let count: Int
    let what: String
    switch finding.path {
    case .entity(let name):
      count = try rows.ownObjectCount(of: name)
      what = "\(counted(count, "object")) of \(name)"
    case .property(let name, let entity):
      let isGone = [.attributeRemoved, .relationshipRemoved].contains(finding.rule)
      let old: (entity: String, property: String) =
        isGone ? (entity, name) : names.old(name, of: entity)
      let places =
        isGone ? names.places(losing: name, of: entity) : names.places(of: name, in: entity)
      if finding.rule == .attributeConverted, let type = names.newType(of: name, in: entity) {
        count = try places.reduce(0) {
          $0 + (try rows.misfitCount(of: $1.property, in: $1.entity, as: type))
        }
      } else {
        let isRedirected = finding.rule == .relationshipReferencesLost
        let targets = isRedirected ? names.targets(lostBy: name, of: entity) : nil
        count = try places.reduce(0) {
          $0 + (try rows.valueCount(of: $1.property, in: $1.entity, leadingTo: targets))
        }
      }
      what = "\(old.entity).\(old.property) of \(counted(count, "object"))"
    default: return nil
    }
    return count > 0 ? "\(what): \(finding.message)" : nil
  }

  private static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
