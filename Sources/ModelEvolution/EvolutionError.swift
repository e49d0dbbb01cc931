/// An error in comparing, merging or modifying models.
public struct EvolutionError: Error, Hashable, Sendable {
  /// The kind of error.
  public enum Code: String, Sendable {
    /// The model doesn't have the element of a change, or already has it.
    case notApplicable
    /// A value doesn't fit the fact that it is assigned to.
    case wrongValue
    /// A reference has no target.
    case danglingReference
    /// A named version doesn't exist.
    case unknownVersion
    /// Stores of one model can't be migrated to the other by inference.
    case notInferable
  }

  /// The kind of error.
  public let code: Code
  /// The location in the model.
  public let path: ModelPath
  /// What is wrong, in one sentence.
  public let message: String

  /// Creates an error.
  public init(_ code: Code, at path: ModelPath = .model, _ message: String) {
    self.code = code
    self.path = path
    self.message = message
  }
}

extension EvolutionError: CustomStringConvertible {
  /// The message, preceded by the path.
  public var description: String {
    path == .model ? message : "\(path): \(message)"
  }
}
