/// A difference between a run and the reference.
struct Failure: Codable, Error, Equatable {
  /// What was compared. Failures of the same kind are considered the same, whatever the values.
  var kind: String
  /// The index of the operation.
  var step: Int
  /// The expected and the actual result.
  var text: String
}
