/// Which row of a store: its key, and its entity, or one above it in the hierarchy.
struct RowKey: Hashable {
  let layout: EntityLayout
  let key: Int64

  /// Keys are counted by hierarchy.
  static func == (left: RowKey, right: RowKey) -> Bool {
    left.key == right.key && left.layout.rootID == right.layout.rootID
  }

  func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension RowKey {
  init(_ row: RowChange) { self.init(layout: row.layout, key: row.key) }
  init(_ id: NSManagedObjectID) { self.init(layout: id.layout, key: id.key) }
}
