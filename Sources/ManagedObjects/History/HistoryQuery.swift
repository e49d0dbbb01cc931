import Foundation

/// A query of a store's persistent history.
@_spi(Engines) public struct HistoryQuery: Sendable {
  /// A position in the history.
  public enum Bound: Sendable {
    /// The beginning of the history.
    case beginning
    /// The transaction with a number.
    case number(Int64)
    /// A moment.
    case date(Date)
  }

  /// The position after which results start.
  public let after: Bound
  /// Whether the transactions' changes are included.
  public let includesChanges: Bool

  /// Asks for what came after a point.
  public init(after: Bound = .beginning, includesChanges: Bool = true) {
    self.after = after
    self.includesChanges = includesChanges
  }
}
