/// Persistent history.
extension ReferenceWorld {
  /// Notes what came, went, and got another version.
  mutating func noteHistory(since before: [ObjectName: StoredRow]) {
    var entry = HistoryEntry()
    for (name, row) in store.rows {
      guard let old = before[name] else {
        entry.inserted.insert(name)
        continue
      }
      if old.version != row.version { entry.updated.insert(name) }
    }
    entry.deleted = Set(before.keys).subtracting(store.rows.keys)
    if !entry.isEmpty { history.append(entry) }
  }
}
