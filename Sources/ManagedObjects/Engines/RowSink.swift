/// Who takes rows.
@_spi(Engines) public protocol RowSink: AnyObject {
  /// Called before the rows of a store, by the coordinator; nil for rows that no store has yet.
  func begin(_ store: StoreReference?)

  /// Called for each row, before its values are read.
  ///
  /// - Returns: where the values go; nil when they aren't wanted, as of an object that has them. A slot that is
  ///   dropped is a row whose values couldn't be read.
  func beginRow(of layout: EntityLayout, key: Int64, version: Int64) -> RowSlot?

  /// Called after ``beginRow(of:key:version:)`` with the temporary identity of a row that an ancestor
  /// context has and no store: whoever has it learns from it what becomes of it.
  func take(identity: NSManagedObjectID)

  /// Takes the values of the present row, by slot.
  func fill(_ slot: consuming RowSlot, with values: [StoredValue])
}

@_spi(Engines) extension RowSink {
  /// Nothing: the sink has no use for it.
  public func take(identity: NSManagedObjectID) {}
}

/// The right to give a sink the values of the row that was begun, once.
@_spi(Engines) public struct RowSlot: ~Copyable {
  init() {}
}
