import DataModels
import Foundation

/// The versions of a model, as a bundle holds them, and which of them is the current one.
///
/// ```swift
/// let history = VersionedModel([("V1", one), ("V2", two)], currentVersionName: "V2")
/// for step in history.steps { print(step.old.name, step.new.name, step.difference.changes.count) }
/// ```
public struct VersionedModel: Sendable {
  /// A model under the name of its version.
  public struct Version: Sendable {
    /// The version's name, as its file is called without extension.
    public let name: String
    /// The model.
    public let model: NSManagedObjectModel

    /// Makes a version.
    public init(name: String, model: NSManagedObjectModel) {
      self.name = name
      self.model = model
    }
  }

  /// The versions in their natural order: names compare with their numbers as numbers, so that
  /// `V10` comes after `V9`.
  public let versions: [Version]
  /// The name of the current version; nil when none is marked and there are several.
  public let currentVersionName: String?

  /// Makes a history of versions in any order; of versions with one name the first counts.
  ///
  /// - Parameters:
  ///   - versions: the models by name.
  ///   - currentVersionName: the one that is marked as current; the only version is current without
  ///     being marked.
  public init(
    _ versions: some Sequence<(name: String, model: NSManagedObjectModel)>,
    currentVersionName: String?
  ) {
    var seen = Set<String>()
    self.versions = versions.filter { seen.insert($0.name).inserted }
      .map { Version(name: $0.name, model: $0.model) }
      .sorted { VersionName.precedes($0.name, $1.name) }
    self.currentVersionName =
      currentVersionName ?? (self.versions.count == 1 ? self.versions.first?.name : nil)
  }

  /// The version of a name.
  public subscript(name: String) -> Version? { versions.first { $0.name == name } }

  /// The current version; nil when none is marked, or when the one that is marked isn't there.
  public var currentVersion: Version? { currentVersionName.flatMap { self[$0] } }

  /// Whether a version of one name comes before that of another: numbers in names count as numbers.
  public static func isVersion(_ name: String, before other: String) -> Bool {
    VersionName.precedes(name, other)
  }

  /// The newest version by name.
  public var latestVersion: Version? { versions.last }

  /// Two versions that follow each other, and what changed between them.
  public struct Step: Sendable {
    /// The older version.
    public let old: Version
    /// The newer version.
    public let new: Version
    /// What changed.
    public let difference: ModelDifference
  }

  /// Every step from a version to the next.
  public var steps: [Step] {
    let outlines = versions.map(\.model).outlines()
    return versions.indices.dropFirst().concurrentMap { index in
      Step(
        old: versions[index - 1], new: versions[index],
        difference: ModelDifference(from: outlines[index - 1], to: outlines[index]))
    }
  }
}

/// Names of versions and the numbers in them.
enum VersionName {
  /// Whether one name comes before another, numbers compared as numbers.
  static func precedes(_ one: String, _ other: String) -> Bool {
    switch one.compare(other, options: .numeric) {
    case .orderedAscending: true
    case .orderedDescending: false
    case .orderedSame: one < other
    }
  }

  /// The number a name ends with; nil when it ends with none.
  static func number(in name: String) -> Int? { Int(digits(in: name)) }

  /// A name of the same form with another number.
  static func renumbered(_ name: String, to number: Int) -> String {
    let digits = digits(in: name)
    if digits.isEmpty { return "\(name) \(number)" }
    return String(name.dropLast(digits.count)) + String(number)
  }

  private static func digits(in name: String) -> String {
    String(String(name.reversed().prefix { $0.isASCII && $0.isNumber }).reversed())
  }
}
