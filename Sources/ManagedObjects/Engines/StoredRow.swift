/// A row as the store has it.
@_spi(Engines) public struct StoredRow: @unchecked Sendable {
  // Safe to share: layouts never change once they are made, and stored values never do.
  /// The row's entity.
  public let layout: EntityLayout
  /// The row's key.
  public let key: Int64
  /// How often the row was saved.
  public let version: Int64
  /// The values by slot.
  public let values: [StoredValue]

  /// Makes a row.
  public init(layout: EntityLayout, key: Int64, version: Int64, values: [StoredValue]) {
    self.layout = layout
    self.key = key
    self.version = version
    self.values = values
  }
}
