import PredicateFormat

/// Exact equality: texts are compared byte by byte, as Core Data does, whereas Swift's own equality is canonical
/// equivalence. Otherwise a change from `é` as one scalar to `é` as two would count as none, and a merge would lose it.
extension ModelValue {
  /// Whether the two say the same, to the byte.
  public static func == (left: ModelValue, right: ModelValue) -> Bool {
    switch (left, right) {
    case (.none, .none): true
    case (.flag(let a), .flag(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a == b
    case (.decimal(let a), .decimal(let b)): a == b
    case (.text(let a), .text(let b)), (.entity(let a), .entity(let b)),
      (.property(let a), .property(let b)), (.keyPath(let a), .keyPath(let b)):
      ExactText.equal(a, b)
    case (.date(let a), .date(let b)): a == b
    case (.data(let a), .data(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.url(let a), .url(let b)): a == b
    case (.choice(let a, let name), .choice(let b, let other)): a == b && name == other
    case (.list(let a), .list(let b)), (.set(let a), .set(let b)): a == b
    case (.record(let a), .record(let b)): isSame(a, b)
    case (.predicate(let a), .predicate(let b)): a == b
    case (.expression(let a), .expression(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }

  private static func isSame(_ left: [String: ModelValue], _ right: [String: ModelValue]) -> Bool {
    left.count == right.count
      && left.allSatisfy { key, value in
        right.index(forKey: key).map {
          ExactText.equal(right[$0].key, key) && right[$0].value == value
        } ?? false
      }
  }

  /// Hashes what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .none: hasher.combine(0)
    case .flag(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value)
    case .decimal(let value): hasher.combine(value)
    case .text(let text), .entity(let text), .property(let text), .keyPath(let text):
      hasher.combine(ExactText(text))
    case .date(let value): hasher.combine(value)
    case .data(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .url(let value): hasher.combine(value)
    case .choice(let number, _): hasher.combine(number)
    case .list(let values), .set(let values): hasher.combine(values)
    case .record(let fields): hasher.combine(fields)
    case .predicate(let value): hasher.combine(value)
    case .expression(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    }
  }
}
