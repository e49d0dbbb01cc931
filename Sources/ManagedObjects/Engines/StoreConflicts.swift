/// Thrown by a store whose rows changed since they were read, or where rows break a uniqueness constraint. Nothing
/// was written.
@_spi(Engines) public struct StoreConflicts: Error, @unchecked Sendable {
  // Sendable: never changed once it is made.

  /// Rows of the save that others changed, each as it is now; nil for one that was deleted.
  public var versions: [(row: RowKey, present: StoredRow?)] = []
  /// Rows whose values others have already, of the same save or in the store.
  public var constraints: [Clash] = []

  /// Rows of one save that want values which only one may have.
  public struct Clash {
    /// The names of the attributes that must differ.
    public let constraint: [String]
    /// The rows.
    public var rows: [RowKey]
    /// The row that has the values, if it isn't one of those that are saved.
    public var present: StoredRow?

    /// Makes a clash.
    public init(constraint: [String], rows: [RowKey], present: StoredRow? = nil) {
      (self.constraint, self.rows, self.present) = (constraint, rows, present)
    }
  }

  /// Makes conflicts without any.
  public init() {}

  /// Whether there are none.
  public var isEmpty: Bool { versions.isEmpty && constraints.isEmpty }
}

extension ChangedObjects {
  /// A store's conflicts, with the objects of its rows.
  func conflicts(_ conflicts: StoreConflicts) -> SaveConflicts {
    var objects: [RowKey: NSManagedObject] = [:]
    for object in self.objects { objects[RowKey(object.identity)] = object }
    var found = SaveConflicts()
    found.versions = conflicts.versions.compactMap { conflict in
      objects[conflict.row].map { ($0, conflict.present) }
    }
    found.constraints = conflicts.constraints.map { clash in
      SaveConflicts.Clash(
        constraint: clash.constraint, objects: clash.rows.compactMap { objects[$0] },
        row: clash.present)
    }
    return found
  }
}
