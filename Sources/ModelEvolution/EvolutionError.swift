/// Why models could not be compared, merged or changed as asked.
public struct EvolutionError: Error, Hashable, Sendable {
  /// What sort of trouble it is.
  public enum Code: String, Sendable {
    /// The model doesn't have the element a change is about, or has it already.
    case notApplicable
    /// A value doesn't fit the fact it is given to.
    case wrongValue
    /// A reference leads to nothing.
    case danglingReference
    /// A version that was named is not there.
    case unknownVersion
    /// The stores of the one model can't be migrated to the other by inference.
    case notInferable
  }

  /// What sort of trouble it is.
  public let code: Code
  /// Where in the model it is.
  public let path: ModelPath
  /// What is wrong, in one sentence.
  public let message: String

  /// Makes an error.
  public init(_ code: Code, at path: ModelPath = .model, _ message: String) {
    self.code = code
    self.path = path
    self.message = message
  }
}

extension EvolutionError: CustomStringConvertible {
  /// The text that is shown.
  public var description: String {
    path == .model ? message : "\(path): \(message)"
  }
}
