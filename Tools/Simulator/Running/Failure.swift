/// A difference between a run and the reference.
struct Failure: Codable, Error, Equatable {
  /// What relationships of outdated objects are reported as: how they look isn't specified.
  static let outdated = "outdated"

  /// What was compared. Failures of the same kind are considered the same, whatever the values.
  var kind: String
  /// The index of the operation.
  var step: Int
  /// The expected and the actual result.
  var text: String

  /// Whether nothing is wrong, but the reference can't say how the program goes on.
  var isUndecided: Bool { kind.hasSuffix(Self.outdated) }
}
