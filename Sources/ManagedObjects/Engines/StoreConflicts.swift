/// The error of a store whose rows have changed since they were read, or whose rows violate a uniqueness constraint.
/// Nothing was written.
@_spi(Engines) public struct StoreConflicts: Error, @unchecked Sendable {
  // Sendable: immutable.

  /// Rows of the save that other writers have changed, each with the current row; nil for a deleted one.
  public var versions: [(row: RowKey, present: StoredRow?)] = []
  /// Rows with values that another row, in the same save or in the store, already has.
  public var constraints: [Clash] = []
  /// References of the save to rows that don't exist: another writer has deleted them. They are only reported where
  /// there are no other conflicts.
  public var references: [StoreChanges.Reference] = []

  /// Rows of one save whose values violate a uniqueness constraint.
  public struct Clash {
    /// The names of the constraint's attributes.
    public let constraint: [String]
    /// The rows.
    public var rows: [RowKey]
    /// The row that has the values, unless it is one of the saved rows.
    public var present: StoredRow?

    /// Creates a clash.
    public init(constraint: [String], rows: [RowKey], present: StoredRow? = nil) {
      (self.constraint, self.rows, self.present) = (constraint, rows, present)
    }
  }

  /// Creates an empty list of conflicts.
  public init() {}

  /// Whether there are no conflicts.
  public var isEmpty: Bool { versions.isEmpty && constraints.isEmpty && references.isEmpty }
}

extension ChangedObjects {
  /// A store's conflicts, with the objects of its rows.
  func conflicts(_ conflicts: StoreConflicts) -> SaveConflicts {
    var objects: [RowKey: NSManagedObject] = [:]
    objects.reserveCapacity(count)
    for list in [inserted, updated, deleted, guarded] {
      list.visit { objects[RowKey(layout: $0.layout, key: $0.rowKey)] = $0 }
    }
    var found = SaveConflicts()
    found.versions = conflicts.versions.compactMap { conflict in
      objects[conflict.row].map { ($0, conflict.present) }
    }
    found.constraints = conflicts.constraints.map { clash in
      SaveConflicts.Clash(
        constraint: clash.constraint, objects: clash.rows.compactMap { objects[$0] },
        row: clash.present)
    }
    found.references = conflicts.references.compactMap { reference in
      objects[reference.row].map { object in
        let (key, target) = (reference.property.name, reference.target)
        return CoreDataError.validation(
          NSManagedObjectValidationError,
          "\(CoreDataError.danglingText) \(object.layout.name).\(key) refers to an object that isn't in the store: "
            + "it has been deleted.",
          object: object, key: key, value: object.context?.identityMap[target] ?? target)
      }
    }
    return found
  }
}
