import Foundation

/// A store's part of a save: checked, and written as far as it can be rolled back.
@_spi(Engines) public protocol PreparedSave {
  /// Commits the part, and returns its outcome. After an error nothing remains of it.
  ///
  /// - Returns: nil from a store that updates the objects itself.
  func commit() throws -> SaveOutcome?
  /// Rolls the part back.
  func rollBack()
}

/// The part of a store without transactions, written when it is committed.
@_spi(Engines) public struct DeferredSave: PreparedSave {
  private let write: () throws -> SaveOutcome?

  /// Creates a part that calls `write` when it is committed.
  public init(write: @escaping () throws -> SaveOutcome?) { self.write = write }

  /// Writes the part.
  public func commit() throws -> SaveOutcome? { try write() }
  /// A no-op: nothing was written yet.
  public func rollBack() {}
}

/// The order in which stores commit, in a save of several. Those most likely to fail come first, while nothing else
/// is written yet.
@_spi(Engines) public enum CommitTurn: Int {
  /// A client-defined store, which may be in front of a service.
  case custom
  /// A file.
  case file
  /// Memory, which never fails.
  case memory
}
