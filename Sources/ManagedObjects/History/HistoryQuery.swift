import Foundation

/// What is asked of a store's persistent history.
struct HistoryQuery: Sendable {
  /// A point of history.
  enum Bound: Sendable {
    /// Its beginning.
    case beginning
    /// The transaction of this number.
    case number(Int64)
    case date(Date)
  }

  /// Where it begins; that point itself is left out.
  let after: Bound
  /// Whether the transactions' changes are wanted.
  let includesChanges: Bool

  init(after: Bound = .beginning, includesChanges: Bool = true) {
    self.after = after
    self.includesChanges = includesChanges
  }
}
