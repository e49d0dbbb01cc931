/// The expected result of an operation.
enum Expectation: Equatable {
  /// The operation can't be performed, or its result is unspecified: it isn't run.
  case skipped
  case done
  /// It throws an error with this code.
  case fails(Int)
  /// It finds these objects in this order.
  case finds([ObjectName])
  case counts(Int)
  /// It returns these rows of values.
  case selects([SelectPlan.Row], isOrdered: Bool)
  /// The objects of a context have these values.
  case shows([ObjectName: ObjectView])
}

/// The state of an object as a program sees it.
struct ObjectView: Codable, Equatable {
  /// Stands for flags that are unspecified.
  static let vague = "?"

  var entity: String
  var flags: String
  var attributes: [String: Int] = [:]
  var toOnes: [String: ObjectName] = [:]
  /// The members of relationships; those of unordered ones sorted by name.
  var toManys: [String: [ObjectName]] = [:]
  /// Whether another writer has saved or deleted the object since the context read it, which hasn't been merged. How much of
  /// a relationship has been read again since isn't specified.
  var isOutdated = false
}

/// The specification doesn't define the result, so the operation isn't run, except in open programs.
struct Undecided: Error {
  var why: String
  /// Whether the operation makes no sense: no program may perform it.
  var isImpossible = false

  init(_ why: String) { self.why = why }

  init(impossible why: String) { (self.why, isImpossible) = (why, true) }
}
