import Foundation

/// A query of a store's persistent history.
struct HistoryQuery: Sendable {
  /// A position in the history.
  enum Bound: Sendable {
    /// The beginning of the history.
    case beginning
    /// The transaction with a number.
    case number(Int64)
    case date(Date)
  }

  /// The position after which results start.
  let after: Bound
  /// Whether the transactions' changes are included.
  let includesChanges: Bool

  init(after: Bound = .beginning, includesChanges: Bool = true) {
    self.after = after
    self.includesChanges = includesChanges
  }
}
