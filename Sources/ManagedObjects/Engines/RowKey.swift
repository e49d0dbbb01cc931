/// Which row of a store: its key, and its entity, or one above it in the hierarchy.
@_spi(Engines) public struct RowKey: Hashable {
  /// The row's entity, or one above it.
  public let layout: EntityLayout
  /// The row's key.
  public let key: Int64

  /// Names a row.
  public init(layout: EntityLayout, key: Int64) {
    self.layout = layout
    self.key = key
  }

  /// Keys are counted by hierarchy.
  public static func == (left: RowKey, right: RowKey) -> Bool {
    left.key == right.key && left.layout.rootID == right.layout.rootID
  }

  /// Puts the key into a hash.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

@_spi(Engines) extension RowKey {
  /// The row that is changed.
  public init(_ row: RowChange) { self.init(layout: row.layout, key: row.key) }
  /// The row of an identity.
  public init(_ id: NSManagedObjectID) { self.init(layout: id.layout, key: id.key) }
}
