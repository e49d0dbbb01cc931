import DataModels
import Foundation

/// The versions of a model, as contained in a bundle, and which of them is current.
///
/// ```swift
/// let history = VersionedModel([("V1", one), ("V2", two)], currentVersionName: "V2")
/// for step in history.steps { print(step.old.name, step.new.name, step.difference.changes.count) }
/// ```
public struct VersionedModel: Sendable {
  /// A version of a model.
  public struct Version: Sendable {
    /// The version's name, which is its file name without extension.
    public let name: String
    /// The model.
    public let model: NSManagedObjectModel

    /// Creates a version.
    public init(name: String, model: NSManagedObjectModel) {
      self.name = name
      self.model = model
    }
  }

  /// The versions in natural order: numbers in names are compared numerically, so that `V10` follows `V9`.
  public let versions: [Version]
  /// The name of the current version; nil when none is marked and there are several.
  public let currentVersionName: String?

  /// Creates a history from versions in any order; of versions with the same name, the first is used.
  ///
  /// - Parameters:
  ///   - versions: The models by name.
  ///   - currentVersionName: The version marked as current; a single version is current without being marked.
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

  /// The version with a name.
  public subscript(name: String) -> Version? { versions.first { $0.name == name } }

  /// The current version; nil when none is marked, or the marked one doesn't exist.
  public var currentVersion: Version? { currentVersionName.flatMap { self[$0] } }

  /// Whether one version name sorts before another, comparing numbers in names numerically.
  public static func isVersion(_ name: String, before other: String) -> Bool {
    VersionName.precedes(name, other)
  }

  /// The last version in natural order.
  public var latestVersion: Version? { versions.last }

  /// Two consecutive versions, and the changes between them.
  public struct Step: Sendable {
    /// The older version.
    public let old: Version
    /// The newer version.
    public let new: Version
    /// The changes.
    public let difference: ModelDifference
  }

  /// Every step from a version to the next.
  public var steps: [Step] {
    let sequence = OutlineSequence(versions.map(\.model))
    let outlines = sequence.outlines
    return versions.indices.dropFirst().concurrentMap { index in
      let paths = (
        old: sequence.paths(of: index - 1, changedIn: index),
        new: sequence.paths(of: index, changedIn: index)
      )
      return Step(
        old: versions[index - 1], new: versions[index],
        difference: ModelDifference(from: outlines[index - 1], to: outlines[index], among: paths))
    }
  }
}

/// Version names and the numbers in them.
enum VersionName {
  /// Whether one name sorts before another, comparing numbers numerically.
  static func precedes(_ one: String, _ other: String) -> Bool {
    switch one.compare(other, options: .numeric) {
    case .orderedAscending: true
    case .orderedDescending: false
    case .orderedSame: one < other
    }
  }

  /// The number at the end of a name; nil when there is none.
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
