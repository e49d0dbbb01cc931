/// A reference to a row of a store: its key, and its entity or a superentity.
@_spi(Engines) public struct RowKey: Hashable {
  /// The row's entity, or a superentity of it.
  public let layout: EntityLayout
  /// The row's key.
  public let key: Int64

  /// Creates a reference to a row.
  public init(layout: EntityLayout, key: Int64) {
    self.layout = layout
    self.key = key
  }

  /// Compares keys within a hierarchy.
  public static func == (left: RowKey, right: RowKey) -> Bool {
    left.key == right.key && left.layout.rootID == right.layout.rootID
  }

  /// Hashes the key.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

@_spi(Engines) extension RowKey {
  /// The row of a change.
  public init(_ row: RowChange) { self.init(layout: row.layout, key: row.key) }
  /// The row of an object ID.
  public init(_ id: NSManagedObjectID) { self.init(layout: id.layout, key: id.key) }
}
