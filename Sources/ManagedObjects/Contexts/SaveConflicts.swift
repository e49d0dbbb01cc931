/// ``StoreConflicts`` as seen by the saving context: its objects, and the conflicting rows. Sendable: it never leaves
/// the context's queue.
struct SaveConflicts: Error, @unchecked Sendable {
  /// Objects whose rows have changed, each with the current row; nil for a deleted one.
  var versions: [(object: NSManagedObject, row: StoredRow?)] = []
  /// Objects with values that another object of the same save, or a row in the store, already has.
  var constraints: [Clash] = []
  /// The errors of relationships that refer to objects without a row. No policy resolves them.
  var references: [any Error] = []

  /// Objects of one save whose values violate a uniqueness constraint.
  struct Clash {
    /// The names of the constraint's attributes.
    let constraint: [String]
    /// The objects.
    var objects: [NSManagedObject]
    /// The row that has the values, unless it is the row of one of the saved objects.
    var row: StoredRow?

    init(constraint: [String], objects: [NSManagedObject], row: StoredRow?) {
      self.constraint = constraint
      self.objects = objects
      self.row = row
    }
  }

  init() {}

  /// Adds the conflicts of another store.
  mutating func add(_ others: SaveConflicts) {
    versions += others.versions
    constraints += others.constraints
    references += others.references
  }

  /// Whether there are no conflicts.
  var isEmpty: Bool { versions.isEmpty && constraints.isEmpty && references.isEmpty }
}
