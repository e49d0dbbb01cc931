extension StoreChanges {
  /// The indexes of the updates that give their rows a new version: those that change a value, or members of a
  /// relationship. Setting the present value isn't a change.
  var writtenUpdates: [Int] {
    let owners = Set(members.map { RowKey($0.owner) })
    return updated.indices.filter { position in
      let row = updated[position]
      return row.hasValues
        && (row.layout.values.contains { !$0.isTransient && row.differs(at: $0.slot) }
          || owners.contains(RowKey(row)))
    }
  }
}
