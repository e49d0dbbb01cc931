/// What a store made of a save's rows, which the context's objects follow.
struct SaveOutcome {
  /// The positions in ``StoreChanges/updated`` of the rows that were written: they have the next version.
  var written: [Int] = []
  /// Other rows that have the next version now, for the sake of relationships.
  var others: [RowKey] = []
  /// Values that the store derived.
  var derived: [DerivedValue] = []

  /// A value that the store derived for a row.
  struct DerivedValue {
    let row: RowKey
    let property: PropertyLayout
    let value: StoredValue
  }
}

extension ChangedObjects {
  /// Has the objects follow what a store made of their rows.
  func follow(_ outcome: SaveOutcome, in store: StoreReference) {
    // A store may have any number there.
    inserted.visit { $0.version &+= 1 }
    updated.visit(outcome.written) { $0.version &+= 1 }
    guard let context else { return }
    func registered(_ row: RowKey) -> NSManagedObject? {
      context.identityMap[NSManagedObjectID(layout: row.layout, store: store, key: row.key)]
    }
    for row in outcome.others { registered(row)?.version &+= 1 }
    for derived in outcome.derived {
      registered(derived.row)?.takeStoreValue(derived.value, of: derived.property)
    }
  }
}
