/// What a save changes in one store, as rows.
///
/// The rows' values lie where the objects of the context keep them: they can be read for as long as the call lasts
/// that brings the changes, and the ``PreparedSave`` it returns.
@_spi(Engines) public struct StoreChanges {
  /// New rows; they have the next version once they are saved: 1, or more where others deleted a row that is
  /// written again.
  public var inserted: [RowChange] = []
  /// Rows to be updated where they differ from what was read, which is looked at by value: some don't.
  public var updated: [RowChange] = []
  /// Rows to be deleted.
  public var deleted: [RowChange] = []
  /// Rows whose version is to be checked without being written.
  public var guarded: [RowChange] = []
  /// What relationships of inserted and updated rows gained and lost, in the rows' order.
  public var members: [MemberChange] = []
  /// The context's name, for persistent history.
  public var contextName: String?
  /// The context's author, for persistent history.
  public var author: String?
  /// What keeps the values of rows that no object has.
  private var kept: [RowBlock] = []

  /// Makes changes without any.
  public init() {}

  /// Whether there is nothing to write.
  public var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && guarded.isEmpty
  }
}

/// The rows of objects.
extension StoreChanges {
  /// The changes of objects, all of one store.
  init(_ pending: ChangedObjects) {
    inserted = Self.rows(of: pending.inserted)
    updated = Self.rows(of: pending.updated)
    deleted = Self.rows(of: pending.deleted)
    guarded = Self.rows(of: pending.guarded)
    pending.inserted.visit { noteMembers(of: $0, isNew: true) }
    pending.updated.visit { noteMembers(of: $0, isNew: false) }
    contextName = pending.contextName
    author = pending.author
  }

  private static func rows(of objects: [NSManagedObject]) -> [RowChange] {
    guard !objects.isEmpty else { return [] }
    var rows: [RowChange] = []
    rows.reserveCapacity(objects.count)
    objects.visit { rows.append(RowChange($0)) }
    return rows
  }

  @inline(__always)
  private mutating func noteMembers(of object: NSManagedObject, isNew: Bool) {
    if object.hasTouchedToManys { noteTouchedMembers(of: object, isNew: isNew) }
  }

  private mutating func noteTouchedMembers(of object: NSManagedObject, isNew: Bool) {
    for property in object.layout.toManys {
      // The members' own rows say whom they belong to.
      let isTold = property.inverseIsToOne && !property.isOrdered
      guard !(isTold && isNew), let touched = object.membersBySlot[property.slot],
        touched.hasChanges
      else { continue }
      members.append(
        MemberChange(
          owner: RowChange(object), property: property,
          added: isTold ? [] : touched.added.map(\.identity),
          removed: isTold ? [] : touched.removed,
          order: property.isOrdered && touched.isLoaded ? touched.objects.map(\.identity) : nil))
    }
  }
}

/// Rows without objects.
@_spi(Engines) extension StoreChanges {
  /// Adds a new row with values by slot.
  public mutating func insert(_ layout: EntityLayout, key: Int64, values: [StoredValue]) {
    inserted.append(RowChange(layout, key: key, version: 0, keeping: &kept, values, before: nil))
  }

  /// Adds a row that was read as `before`, and has other values now.
  public mutating func update(_ before: StoredRow, values: [StoredValue]) {
    updated.append(
      RowChange(
        before.layout, key: before.key, version: before.version, keeping: &kept, values,
        before: before.values))
  }

  /// Adds a row to be deleted.
  public mutating func delete(_ row: StoredRow) {
    deleted.append(
      RowChange(
        row.layout, key: row.key, version: row.version, keeping: &kept, row.values,
        before: row.values))
  }
}
