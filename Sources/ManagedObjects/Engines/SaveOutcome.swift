/// The outcome of a save in a store, by which the context updates its objects.
@_spi(Engines) public struct SaveOutcome {
  /// The indexes in ``StoreChanges/updated`` of the rows that were written: these have the next version.
  public var written: [Int] = []
  /// Values that the store derived.
  public var derived: [DerivedValue] = []

  /// Creates an outcome.
  public init(written: [Int] = [], derived: [DerivedValue] = []) {
    (self.written, self.derived) = (written, derived)
  }

  /// A value that the store derived for a row.
  public struct DerivedValue {
    /// The row.
    public let row: RowKey
    /// The attribute.
    public let property: PropertyLayout
    /// The new value.
    public let value: StoredValue

    /// Creates a derived value.
    public init(row: RowKey, property: PropertyLayout, value: StoredValue) {
      (self.row, self.property, self.value) = (row, property, value)
    }
  }
}

extension ChangedObjects {
  /// Updates the objects to the values that a store gave their rows.
  func follow(_ outcome: SaveOutcome, in store: StoreReference) {
    // The list may be long.
    inserted.visit { $0.version &+= 1 }
    updated.visit(outcome.written) { $0.version &+= 1 }
    guard let context else { return }
    func registered(_ row: RowKey) -> NSManagedObject? {
      context.identityMap[NSManagedObjectID(layout: row.layout, store: store, key: row.key)]
    }
    for derived in outcome.derived {
      guard let object = registered(derived.row) else { continue }
      let (layout, slot) = (object.layout, derived.property.slot)
      precondition(
        derived.property.isOfValues && layout.values.indices.contains(slot),
        "a store derived '\(derived.property.name)', which \(layout.name) has no value of")
      if !object.isFault, object.currentValue(at: slot) != derived.value {
        context.noteRefreshed(object)
      }
      object.takeStoreValue(derived.value, of: derived.property)
    }
  }
}
