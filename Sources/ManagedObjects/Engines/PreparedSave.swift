import Foundation

/// A store's part of a save: checked, and written as far as it can be taken back.
@_spi(Engines) public protocol PreparedSave {
  /// Makes it last, and tells what became of it. After an error nothing of it is left.
  ///
  /// - Returns: nil from a store that has the objects follow by itself.
  func commit() throws -> SaveOutcome?
  /// Takes it back.
  func rollBack()
}

/// The part of a store without transactions: it is written when it is committed.
@_spi(Engines) public struct DeferredSave: PreparedSave {
  private let write: () throws -> SaveOutcome?

  /// Makes a save that writes when it is committed.
  public init(write: @escaping () throws -> SaveOutcome?) { self.write = write }

  /// Writes.
  public func commit() throws -> SaveOutcome? { try write() }
  /// Nothing: nothing was written yet.
  public func rollBack() {}
}

/// When a store's turn to commit comes, in a save of several: those that refuse most easily come first,
/// as nothing else is written yet then.
@_spi(Engines) public enum CommitTurn: Int {
  /// A store of the program's own, which may be in front of a service.
  case custom
  /// A file.
  case file
  /// Memory, which never refuses.
  case memory
}
