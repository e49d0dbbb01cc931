import Foundation

/// Exact equality: strings are compared byte by byte, whereas Swift's own equality is canonical equivalence. Otherwise
/// tables and caches keyed by values would return the entry of another string.
extension PredicateValue {
  /// Whether the two are the same constant.
  public static func == (left: PredicateValue, right: PredicateValue) -> Bool {
    switch (left, right) {
    case (.null, .null), (.nsNull, .nsNull): true
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.unsigned(let a), .unsigned(let b)): a == b
    case (.double(let a), .double(let b)): a == b
    case (.float(let a), .float(let b)): a == b
    case (.decimal(let a), .decimal(let b)): a == b
    case (.string(let a), .string(let b)): ExactText.equal(a, b)
    case (.date(let a), .date(let b)): a == b
    case (.data(let a), .data(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.url(let a), .url(let b)): a == b
    case (.array(let a), .array(let b)), (.set(let a), .set(let b)),
      (.orderedSet(let a), .orderedSet(let b)):
      a == b
    case (.dictionary(let a), .dictionary(let b)): a == b
    case (.className(let a), .className(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }

  /// Hashes the properties that ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .nsNull: hasher.combine(1)
    case .bool(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .unsigned(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value)
    case .float(let value): hasher.combine(value)
    case .decimal(let value): hasher.combine(value)
    case .string(let value): hasher.combine(ExactText(value))
    case .date(let value): hasher.combine(value)
    case .data(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .url(let value): hasher.combine(value)
    case .array(let values): hasher.combine(values)
    case .set(let values), .orderedSet(let values):
      hasher.combine(2)
      hasher.combine(values)
    case .dictionary(let entries): hasher.combine(entries)
    case .className(let name): hasher.combine(name)
    case .object(let object): hasher.combine(object)
    }
  }
}
