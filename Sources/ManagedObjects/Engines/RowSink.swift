/// Who takes rows.
protocol RowSink: AnyObject {
  /// Called before the rows of a store; nil for rows that no store has yet.
  func begin(_ store: StoreReference?)

  /// Called for each row, before its values are read.
  ///
  /// - Returns: Whether the values are wanted: they aren't for an object that has them.
  func wantsValues(of layout: EntityLayout, key: Int64, version: Int64) -> Bool

  /// Called after ``wantsValues(of:key:version:)`` with the temporary identity of a row that an ancestor
  /// context has and no store: whoever has it learns from it what becomes of it.
  func take(identity: NSManagedObjectID)

  /// Called with the row's values by slot, when they were wanted.
  func take(_ values: [StoredValue])

  /// Memory where the values that were wanted may be made by slot, to be followed by
  /// ``takeRoom(count:)`` at once, or by nothing if they can't be made.
  ///
  /// - Returns: nil from a sink that takes lists only.
  func room(count: Int) -> UnsafeMutablePointer<StoredValue>?

  /// Called when all values are in the ``room(count:)``.
  func takeRoom(count: Int)
}

extension RowSink {
  func take(identity: NSManagedObjectID) {}
  func room(count: Int) -> UnsafeMutablePointer<StoredValue>? { nil }
  func takeRoom(count: Int) {}
}
