/// A row as stored.
@_spi(Engines) public struct StoredRow: @unchecked Sendable {
  // Sendable: layouts and stored values are immutable.
  /// The row's entity.
  public let layout: EntityLayout
  /// The row's key.
  public let key: Int64
  /// The number of times the row was saved.
  public let version: Int64
  /// The values by slot.
  public let values: [StoredValue]

  /// Creates a row.
  public init(layout: EntityLayout, key: Int64, version: Int64, values: [StoredValue]) {
    self.layout = layout
    self.key = key
    self.version = version
    self.values = values
  }
}
