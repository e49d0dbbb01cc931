/// A row as the store has it.
struct StoredRow: @unchecked Sendable {
  let layout: EntityLayout
  let key: Int64
  let version: Int64
  let values: [StoredValue]

  init(layout: EntityLayout, key: Int64, version: Int64, values: [StoredValue]) {
    self.layout = layout
    self.key = key
    self.version = version
    self.values = values
  }
}
