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
