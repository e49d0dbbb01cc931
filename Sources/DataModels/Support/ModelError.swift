import Foundation

/// An error that prevents a model from being used, merged, or hashed.
///
/// ```swift
/// do {
///   try model.validate()
/// } catch let error as ModelError {
///   for finding in error.findings { print(finding) }
/// }
/// ```
public struct ModelError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's name, as used in machine-readable output.
    public let rawValue: String

    /// Creates a code from its name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Rules are violated; ``ModelError/findings`` lists them.
    public static let invalid = Code(rawValue: "invalid-model")
    /// Models to be merged have different entities, templates or settings with the same name.
    public static let mergeConflict = Code(rawValue: "merge-conflict")
    /// An entity is its own ancestor.
    public static let hierarchyCycle = Code(rawValue: "hierarchy-cycle")
    /// The hierarchy is so deep, with so many properties, that hashing it would take hours.
    public static let hierarchyTooLarge = Code(rawValue: "hierarchy-too-large")
    /// A requested fetch request template doesn't exist, or lacks a variable.
    public static let fetchRequestTemplate = Code(rawValue: "fetch-request-template")
  }

  /// The kind of failure.
  public var code: Code

  /// What is wrong and what to do about it, in one sentence.
  public var message: String

  /// The entity at fault, if there is one.
  public var entity: String?

  /// The violated rules, if there are any.
  public var findings: [ModelFinding]

  /// Creates an error.
  public init(
    _ code: Code, _ message: String, entity: String? = nil, findings: [ModelFinding] = []
  ) {
    self.code = code
    self.message = message
    self.entity = entity
    self.findings = findings
  }

  /// The message, followed by the findings, one per line.
  public var description: String {
    ([message] + findings.map(\.description)).joined(separator: "\n")
  }
}

extension ModelError: LocalizedError {
  /// The same as ``description``.
  public var errorDescription: String? { description }
}
