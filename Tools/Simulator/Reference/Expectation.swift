/// What an operation must come to.
enum Expectation: Equatable {
  /// It doesn't apply, or the specification leaves open what happens: it isn't run.
  case skipped
  case done
  /// It throws an error of a code.
  case fails(Int)
  /// These objects, in this order.
  case finds([ObjectName])
  case counts(Int)
  /// These rows of values.
  case selects([SelectPlan.Row], isOrdered: Bool)
  /// What the objects of a context say.
  case shows([ObjectName: ObjectView])
}

/// What an object says of itself.
struct ObjectView: Codable, Equatable {
  /// Flags that may be one thing or another.
  static let vague = "?"

  var entity: String
  var flags: String
  var attributes: [String: Int] = [:]
  var toOnes: [String: ObjectName] = [:]
  /// The members of relationships, those of unordered ones in the order of names.
  var toManys: [String: [ObjectName]] = [:]
}

/// The specification doesn't say what happens: the operation isn't run.
struct Undecided: Error {
  var why: String
  init(_ why: String) { self.why = why }
}
