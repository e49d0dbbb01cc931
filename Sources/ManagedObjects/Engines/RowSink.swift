/// A receiver of rows.
@_spi(Engines) public protocol RowSink: AnyObject {
  /// Called by the coordinator before the rows of a store; nil for rows that aren't in a store yet.
  func begin(_ store: StoreReference?)

  /// Called for each row before its values are read.
  ///
  /// - Returns: a slot for the row's values; nil if they aren't wanted, for example because the object has them. If
  ///   the slot is dropped, the row's values couldn't be read.
  func beginRow(of layout: EntityLayout, key: Int64, version: Int64) -> RowSlot?

  /// Called after ``beginRow(of:key:version:)`` with the temporary ID of a row that only an ancestor context has. The
  /// ID later leads to its permanent successor.
  func take(identity: NSManagedObjectID)

  /// Takes the values of the current row, by slot.
  func fill(_ slot: consuming RowSlot, with values: [StoredValue])
}

@_spi(Engines) extension RowSink {
  /// A no-op: the sink has no use for the ID.
  public func take(identity: NSManagedObjectID) {}
}

/// The one-time right to give a sink the values of the current row.
@_spi(Engines) public struct RowSlot: ~Copyable {
  init() {}
}
