/// A sink that collects rows unchanged.
@_spi(Engines) public final class RowCollector: RowSink {
  /// The rows collected so far.
  public private(set) var rows: [StoredRow] = []
  private var pending: (layout: EntityLayout, key: Int64, version: Int64)?

  /// Creates an empty collector.
  public init() {}

  /// A no-op: rows of any store are collected.
  public func begin(_ store: StoreReference?) {}

  /// Accepts every row.
  public func beginRow(of layout: EntityLayout, key: Int64, version: Int64) -> RowSlot? {
    pending = (layout, key, version)
    return RowSlot()
  }

  /// Adds the row.
  public func fill(_ slot: consuming RowSlot, with values: [StoredValue]) {
    guard let pending else { return }
    rows.append(
      StoredRow(
        layout: pending.layout, key: pending.key, version: pending.version, values: values))
  }

  func startOver(at count: Int) { rows.removeSubrange(count...) }
}
