/// The context in which an expression is evaluated: the object, and the values of variables.
struct EvaluationContext {
  /// The object being evaluated.
  let subject: Subject
  /// The values of `$VARIABLES`, including those of subqueries.
  var bindings: [String: PredicateValue]

  enum Subject {
    case readable(any KeyValueReadable)
    case dictionary([String: Any])
    case value(PredicateValue)

    init(_ object: Any?) {
      switch object {
      case let readable as any KeyValueReadable: self = .readable(readable)
      case let dictionary as [String: Any]: self = .dictionary(dictionary)
      default: self = .value(PredicateValue(reading: object))
      }
    }

    /// The object as a value.
    var value: PredicateValue {
      switch self {
      case .readable(let readable): .object(OpaqueObject(readable))
      case .dictionary(let dictionary): PredicateValue(reading: dictionary)
      case .value(let value): value
      }
    }

    /// The original object, or its Foundation equivalent.
    var object: Any? {
      switch self {
      case .readable(let readable): readable
      case .dictionary(let dictionary): dictionary
      case .value(let value): value.foundationValue
      }
    }

    /// The value of a single key.
    func value(forKey key: String) throws(PredicateFormatError) -> PredicateValue {
      switch self {
      case .readable(let readable): try readable.predicateValue(forKey: key)
      case .dictionary(let dictionary):
        key == "self" ? value : PredicateValue(reading: dictionary[key])
      case .value(let value): try value.value(forKey: key)
      }
    }
  }

  /// The value of a variable.
  func value(ofVariable name: String) throws(PredicateFormatError) -> PredicateValue {
    guard let value = bindings[name] else {
      let known = bindings.keys.sorted().joined(separator: ", ")
      throw PredicateFormatError(
        .missingVariable, "can't get value for '\(name)' in bindings {\(known)}")
    }
    return value
  }
}

/// The rules by which a predicate is evaluated, where those of Foundation and of stores differ.
package enum EvaluationRules: Hashable, Sendable {
  /// Foundation's rules, as for `NSPredicate.evaluate(with:)`: nil equals only nil, dates aren't numbers, and division
  /// by zero is an error.
  case foundation
  /// The rules of fetches from an in-memory store or a custom store: nil is treated as in Foundation, but arithmetic
  /// works as in SQL: dates are numbers of seconds since 2001, and division by zero yields nil. Core Data requires
  /// `CAST(date, "NSNumber")` there.
  case memoryStore
  /// The rules of fetches from a SQLite store: a comparison with a missing value is neither true nor false, so neither
  /// `x == 1` nor `x != 1` nor `NOT (x == 1)` holds if x is nil; only `x == nil` and `x != nil` test for nil. A number
  /// equals its textual form.
  case sqliteStore

  /// Whether dates are numbers, and division by zero yields nil.
  var computesAsSQL: Bool { self != .foundation }

  /// Whether a comparison with a missing value is neither true nor false.
  var nilIsUnknown: Bool { self == .sqliteStore }
}
