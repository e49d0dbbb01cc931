/// What an expression is evaluated in: the object, and the values of variables.
struct EvaluationContext {
  /// What the predicate is asked about.
  let subject: Subject
  /// The values of `$VARIABLES`, those of subqueries included.
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

    /// The object as it was given, or as Foundation would have it.
    var object: Any? {
      switch self {
      case .readable(let readable): readable
      case .dictionary(let dictionary): dictionary
      case .value(let value): value.foundationValue
      }
    }

    /// The value of one key.
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

/// By whose rules a predicate is evaluated, where those of Foundation and of stores differ.
package enum EvaluationRules: Hashable, Sendable {
  /// Foundation's, as `NSPredicate.evaluate(with:)`: nil is a value that equals only nil, dates aren't
  /// numbers, and dividing by zero is an error.
  case foundation
  /// A fetch from a store in memory, or of a program's own: Foundation's rules about nil, but what is
  /// computed is computed as SQL does: dates count as their seconds since 2001, and what is divided by
  /// zero is nil. Core Data needs `CAST(date, "NSNumber")` there.
  case memoryStore
  /// A fetch from a SQLite store: what is compared with a missing value is neither true nor false, so
  /// that neither `x == 1` nor `x != 1` nor `NOT (x == 1)` holds where x is nil; only `x == nil` and
  /// `x != nil` ask for nil. A number equals the text that it is written as.
  case sqliteStore

  /// Whether dates count as numbers, and quotients by zero as nil.
  var computesAsSQL: Bool { self != .foundation }

  /// Whether a comparison with a missing value is neither true nor false.
  var nilIsUnknown: Bool { self == .sqliteStore }
}
