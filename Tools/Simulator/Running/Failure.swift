/// How a run departed from the reference.
struct Failure: Codable, Error, Equatable {
  /// What was compared: failures are the same when these are, however the values differ.
  var kind: String
  /// The number of the operation, from 0.
  var step: Int
  /// What was expected and what came.
  var text: String
}
