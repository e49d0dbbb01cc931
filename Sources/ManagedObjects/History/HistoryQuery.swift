import Foundation

/// What is asked of a store's persistent history.
package struct HistoryQuery: Sendable {
  /// A point of history.
  package enum Bound: Sendable {
    /// Its beginning.
    case beginning
    /// The transaction of this number.
    case number(Int64)
    case date(Date)
  }

  /// Where it begins; that point itself is left out.
  package let after: Bound
  /// Whether the transactions' changes are wanted.
  package let includesChanges: Bool

  package init(after: Bound = .beginning, includesChanges: Bool = true) {
    self.after = after
    self.includesChanges = includesChanges
  }
}
