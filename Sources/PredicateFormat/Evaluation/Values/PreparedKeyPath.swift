/// A key path split into steps.
struct PreparedKeyPath: Sendable {
  private let steps: [Step]

  private enum Step: Sendable {
    case key(String)
    /// An operator such as `@sum`, and the path that it applies to.
    case collection(CollectionOperator, PreparedKeyPath?)
    case unknownOperator(String)
  }

  init(_ path: String) {
    self.init(
      path.split(separator: ".", omittingEmptySubsequences: false)[...], operatorsLeft: 8)
  }

  /// - Parameter operatorsLeft: The number of further operators allowed: each operates on the result of the next, which
  ///   nests.
  private init(_ keys: ArraySlice<Substring>, operatorsLeft: Int) {
    var steps: [Step] = []
    var index = keys.startIndex
    while index < keys.endIndex {
      let key = keys[index]
      index += 1
      guard key.first == "@" else {
        steps.append(.key(String(key)))
        continue
      }
      guard let operation = CollectionOperator(rawValue: String(key.dropFirst())),
        operatorsLeft > 0
      else {
        steps.append(.unknownOperator(String(key)))
        continue
      }
      if operation == .count {
        steps.append(.collection(.count, nil))
      } else {
        // The rest of the path is the operand of the operator.
        let rest = keys[index...]
        steps.append(
          .collection(
            operation, rest.isEmpty ? nil : PreparedKeyPath(rest, operatorsLeft: operatorsLeft - 1))
        )
        break
      }
    }
    self.steps = steps
  }

  /// The key, if the path consists of a single key.
  var onlyKey: String? {
    guard steps.count == 1, case .key(let key) = steps[0] else { return nil }
    return key
  }

  /// The value at the end of the path.
  func value(
    from subject: EvaluationContext.Subject
  ) throws(PredicateFormatError) -> PredicateValue {
    guard case .key(let key)? = steps.first else { return try value(from: subject.value) }
    return try value(from: try subject.value(forKey: key), skipping: 1)
  }

  /// The value at the end of the path.
  func value(
    from start: PredicateValue, skipping count: Int = 0
  ) throws(PredicateFormatError) -> PredicateValue {
    var value = start
    for step in steps.dropFirst(count) {
      switch step {
      case .key(let key): value = try value.value(forKey: key)
      case .collection(let operation, let path): value = try operation.apply(to: value, path)
      case .unknownOperator(let name):
        throw PredicateFormatError(
          .unsupported, "\(name) isn't a collection operator, or follows too many")
      }
    }
    return value
  }
}
