/// The changes of a save in one store, as rows.
///
/// The rows' values are in the memory of the context's objects. They can be read during the call that passes the
/// changes, and until the ``PreparedSave`` it returns is committed or rolled back.
@_spi(Engines) public struct StoreChanges {
  /// New rows. They have the next version once they are saved: 1, or more for a row that another writer deleted and
  /// that is written again.
  public private(set) var inserted = RowChanges()
  /// Rows to update where they differ from what was read. The values must be compared: some rows don't differ.
  public private(set) var updated = RowChanges()
  /// Rows to be deleted.
  public private(set) var deleted = RowChanges()
  /// Rows whose version is to be checked without writing them.
  public private(set) var guarded = RowChanges()
  /// The relationship changes of inserted and updated rows, in the rows' order.
  public var members: [MemberChange] = []
  /// The context's name, for persistent history.
  public var contextName: String?
  /// The context's author, for persistent history.
  public var author: String?
  /// Whether these are the changes of a context's objects.
  private(set) var areOfObjects = false
  /// Keeps alive the values of rows without objects.
  private var kept: [RowBlock] = []

  /// Creates an empty set of changes.
  public init() {}

  /// Whether there is nothing to write.
  public var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && guarded.isEmpty
  }
}

/// Rows of objects.
extension StoreChanges {
  /// Creates the changes of objects in one store.
  init(_ pending: ChangedObjects) {
    inserted = RowChanges(pending.inserted)
    updated = RowChanges(pending.updated)
    deleted = RowChanges(pending.deleted)
    guarded = RowChanges(pending.guarded)
    pending.inserted.visit { noteMembers(of: $0, isNew: true) }
    pending.updated.visit { noteMembers(of: $0, isNew: false) }
    contextName = pending.contextName
    author = pending.author
    areOfObjects = true
  }

  @inline(__always)
  private mutating func noteMembers(of object: NSManagedObject, isNew: Bool) {
    if object.hasTouchedToManys { noteTouchedMembers(of: object, isNew: isNew) }
  }

  private mutating func noteTouchedMembers(of object: NSManagedObject, isNew: Bool) {
    for property in object.layout.toManys {
      // The relationship is recorded in the members' own rows.
      let isTold = property.isToldByMembers && !property.isOrdered
      guard !(isTold && isNew), let touched = object.membersBySlot[property.slot],
        touched.hasChanges
      else { continue }
      members.append(
        MemberChange(
          owner: RowChange(object), property: property,
          added: isTold ? [] : touched.added.map(\.identity),
          removed: isTold ? [] : touched.removed,
          order: property.isOrdered && touched.isLoaded && !touched.onlyGrewAtTheEnd
            ? touched.objects.map(\.identity) : nil))
    }
  }
}

/// Rows without objects.
@_spi(Engines) extension StoreChanges {
  /// Adds a new row with values by slot.
  ///
  /// - Parameter version: the number of times that the row was saved before, if it is the copy of another.
  public mutating func insert(
    _ layout: EntityLayout, key: Int64, version: Int64 = 0, values: [StoredValue]
  ) {
    inserted.append(
      RowChange(layout, key: key, version: version, keeping: &kept, values, before: nil))
  }

  /// Adds a row that was read as `before` and now has other values.
  public mutating func update(_ before: StoredRow, values: [StoredValue]) {
    updated.append(
      RowChange(
        before.layout, key: before.key, version: before.version, keeping: &kept, values,
        before: before.values))
  }

  /// Adds a row to delete.
  public mutating func delete(_ row: StoredRow) {
    deleted.append(
      RowChange(
        row.layout, key: row.key, version: row.version, keeping: &kept, row.values,
        before: row.values))
  }
}

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
