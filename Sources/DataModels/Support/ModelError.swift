import Foundation

/// Why a model can't be used, merged, or hashed.
///
/// ```swift
/// do {
///   try model.validate()
/// } catch let error as ModelError {
///   for finding in error.findings { print(finding) }
/// }
/// ```
public struct ModelError: Error, Sendable, CustomStringConvertible {
  /// What kind of failure it is.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's name, as machine-readable output shows it.
    public let rawValue: String

    /// Makes the code of this name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Rules are broken; ``ModelError/findings`` lists them.
    public static let invalid = Code(rawValue: "invalid-model")
    /// Models to be merged have different entities, templates or settings of one name.
    public static let mergeConflict = Code(rawValue: "merge-conflict")
    /// An entity is above itself in the hierarchy.
    public static let hierarchyCycle = Code(rawValue: "hierarchy-cycle")
    /// The hierarchy is so deep, with so many properties, that hashing it would take hours.
    public static let hierarchyTooLarge = Code(rawValue: "hierarchy-too-large")
    /// A fetch request template is asked for that doesn't exist, or lacks a variable.
    public static let fetchRequestTemplate = Code(rawValue: "fetch-request-template")
  }

  /// What kind of failure it is.
  public var code: Code

  /// What is wrong and what to do about it, in one sentence.
  public var message: String

  /// The entity it is about, where there is one.
  public var entity: String?

  /// The broken rules, where there are any.
  public var findings: [ModelFinding]

  /// Makes an error.
  public init(
    _ code: Code, _ message: String, entity: String? = nil, findings: [ModelFinding] = []
  ) {
    self.code = code
    self.message = message
    self.entity = entity
    self.findings = findings
  }

  /// The message, and below it the findings, one a line.
  public var description: String {
    ([message] + findings.map(\.description)).joined(separator: "\n")
  }
}

extension ModelError: LocalizedError {
  /// The same as ``description``.
  public var errorDescription: String? { description }
}
