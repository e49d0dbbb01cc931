@_spi(Engines) import MomKit

/// Writing rows.
extension SharedTablesEngine {
  func reserveKeys(_ count: Int, for root: EntityLayout) throws -> Int64 {
    database.locked { contents in
      let last = contents.lastKeys[root.name] ?? 0
      contents.lastKeys[root.name] = last + Int64(count)
      return last + 1
    }
  }

  func prepare(_ changes: StoreChanges) throws -> any PreparedSave {
    let written = changes.updated.indices.filter { position in
      let row = changes.updated[position]
      return row.layout.values.contains { row.differs(in: $0) }
    }
    let conflicts = conflicts(
      Array(changes.deleted) + changes.guarded + written.map { changes.updated[$0] })
    guard conflicts.isEmpty else { throw conflicts }
    // Nothing can fail between here and the commit, so there is nothing to roll back.
    return DeferredSave { [self] in
      database.locked { contents in
        for row in changes.inserted { write(row, isNew: true, to: &contents) }
        for row in written.map({ changes.updated[$0] }) {
          write(row, isNew: false, to: &contents)
        }
        for row in changes.deleted { contents.rows[Place(row)] = nil }
      }
      return SaveOutcome(written: written)
    }
  }

  /// Returns the conflicts: rows that others changed or deleted since they were read.
  private func conflicts(_ rows: [RowChange]) -> StoreConflicts {
    var conflicts = StoreConflicts()
    for change in rows {
      let present = database.locked { $0.rows[Place(change)] }
      guard present?.version != change.version else { continue }
      let row = present.map {
        StoredRow(
          layout: change.layout, key: change.key, version: $0.version,
          values: values(of: $0, change.layout))
      }
      conflicts.versions.append((RowKey(change), row))
    }
    return conflicts
  }

  private func write(_ change: RowChange, isNew: Bool, to contents: inout Database.Contents) {
    var row = contents.rows[Place(change)] ?? Row(entity: change.layout.name)
    row.version = change.version + 1
    for property in change.layout.values where !property.isTransient {
      guard isNew || change.differs(in: property) else { continue }
      switch change.value(of: property) {
      case .null: row.values[property.name] = nil
      case .reference(let id): row.values[property.name] = .row(entity: id.layout.name, key: id.key)
      case let value: row.values[property.name] = property.object(of: value).map { .object($0) }
      }
    }
    contents.rows[Place(change)] = row
  }
}
