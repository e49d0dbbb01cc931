import DataModels
import Foundation
import ModelEvolution
import ModelSource

/// The versions at some inputs as frozen SwiftData schemas, with the migration plan between them.
///
/// Stores record their version ("1.0.0"). If all versions do, and all are distinct, this determines their order and
/// names. Otherwise versions are numbered in the given order; those of a bundle are sorted by name, with the current
/// one last.
struct FrozenSchemas {
  /// The schemas, oldest first, each with its input.
  let schemas: [(schema: SwiftDataSchema, input: String)]
  /// The plan; nil if there is only one schema.
  let plan: SwiftDataMigrationPlan?

  /// A model and its origin.
  private struct Version {
    let model: NSManagedObjectModel
    let title: String
    let input: String
    /// Its number among the versions of its bundle.
    var number: Int

    var identifier: SwiftDataVersion? {
      model.versionIdentifiers.compactMap { ($0 as? String).flatMap(SwiftDataVersion.init) }.max()
    }
  }

  /// Reads the inputs, and converts them to schemas.
  ///
  /// - Parameter name: The prefix of type names; nil for the first input's name.
  /// - Throws: The exit status for trouble, after reporting the error.
  init(of inputs: [String], name: String?) throws {
    var versions = try inputs.flatMap { try Self.versions(at: $0) }
    let base = try name ?? Self.name(of: inputs[0])
    guard SwiftDataSchema.isTypeName(base) else {
      throw Diagnostic("'\(base)' isn't a valid prefix for type names; give another with --name")
    }
    if inputs.count > 1 { for index in versions.indices { versions[index].number = index + 1 } }
    let identifiers = versions.compactMap(\.identifier)
    let areNamed = Set(identifiers).count == versions.count
    if areNamed {
      versions.sort { ($0.identifier ?? .init(0)) < ($1.identifier ?? .init(0)) }
    }
    let all = versions.map { version in
      let number = areNamed ? version.identifier ?? .init(version.number) : .init(version.number)
      return (
        version: version,
        schema: SwiftDataSchema(
          version.model, name: "\(base)SchemaV\(number.suffix)", version: number,
          title: version.title)
      )
    }
    // Two versions with the same checksum can't be distinguished by what stores record, and SwiftData doesn't accept
    // both in one plan: the later one represents both.
    let kept = all.indices.filter { index in
      let later = all[(index + 1)...].first { $0.schema.checksum == all[index].schema.checksum }
      guard let later else { return true }
      Diagnostics.report(
        Diagnostic(
          warning:
            "\(all[index].version.title) has the version hashes of \(later.version.title), and is "
            + "omitted: a migration plan can't contain both", path: all[index].version.input))
      return false
    }.map { all[$0] }
    schemas = kept.map { ($0.schema, $0.version.input) }
    guard kept.count > 1 else {
      plan = nil
      return
    }
    plan = SwiftDataMigrationPlan(
      name: "\(base)MigrationPlan", schemas: kept.map(\.schema),
      stages: zip(kept, kept.dropFirst()).map { Self.stage($0.version.model, $1.version.model) })
  }

  private static func versions(at input: String) throws -> [Version] {
    let read = try HistoryInput.required(input, reading: .readable)
    let history = read.history
    // Stores are to be migrated to the current version, so it comes last whatever its name.
    let current = history.currentVersionName
    let ordered =
      history.versions.filter { $0.name != current }
      + history.versions.filter { $0.name == current }
    var numbers: [String: Int] = [:]
    if read.isSingle, try InputLocation(input).version != nil {
      // A version keeps its number among all versions of its bundle.
      let whole = try ModelInput(input)
      let last = try whole.currentVersionName()
      let names = try whole.versionNames().sorted(by: ModelHistory.isVersion(_:before:))
      let sorted = names.filter { $0 != last } + names.filter { $0 == last }
      for (index, name) in sorted.enumerated() { numbers[name] = index + 1 }
    }
    return ordered.enumerated().map { index, version in
      Version(
        model: version.model,
        title: history.versions.count > 1 || read.isSingle ? version.name : read.name,
        input: input, number: numbers[version.name] ?? index + 1)
    }
  }

  /// The prefix of type names for an input: the bundle's name, without characters that are invalid in code.
  private static func name(of input: String) throws -> String {
    var url = URL(fileURLWithPath: try InputLocation(input).path)
    while ["contents", "elements"].contains(url.lastPathComponent)
      || ["momd", "xcdatamodeld"].contains(url.deletingLastPathComponent().pathExtension)
    {
      url.deleteLastPathComponent()
    }
    let words = url.deletingPathExtension().lastPathComponent.split { !$0.isLetter && !$0.isNumber }
    let name = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    return name.first?.isLetter == true ? name : "Model\(name)"
  }

  /// The migration from one model to another.
  private static func stage(
    _ old: NSManagedObjectModel, _ new: NSManagedObjectModel
  ) -> SwiftDataMigrationPlan.Stage {
    let verdict = MigrationVerdict(from: old, to: new)
    let stopping = verdict.findings.filter {
      $0.rule.effect == .blocks || $0.rule.effect == .failsWithData
    }
    // SwiftData doesn't support renaming models, whereas Core Data's inference uses their renaming identifiers.
    let renamed = verdict.findings.filter { $0.rule == .entityRenamed }.map { finding in
      String(finding.message.prefix { $0 != ";" }) + "; SwiftData can't rename models"
    }
    let reasons = stopping.map(\.message) + renamed
    return reasons.isEmpty ? .lightweight : .custom(reasons: reasons)
  }

  /// Whether a file exists that is another frozen schema, or this one with manual changes.
  static func isTaken(_ path: String, by schema: SwiftDataSchema) -> Bool {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return false }
    return text != schema.file.text
  }
}
