/// ``StoreConflicts`` as the context knows them that saves: the objects, and the rows they met. It never leaves the
/// context's queue.
struct SaveConflicts: Error, @unchecked Sendable {
  /// Objects whose rows changed, each with the row as it is now; nil for a deleted one.
  var versions: [(object: NSManagedObject, row: StoredRow?)] = []
  /// Objects whose values others have already, of the same save or in the store.
  var constraints: [Clash] = []

  /// Objects of one save that want values which only one may have.
  struct Clash {
    /// The names of the attributes that must differ.
    let constraint: [String]
    /// The objects.
    var objects: [NSManagedObject]
    /// The row that has the values, if it isn't the row of one of the objects that are saved.
    var row: StoredRow?

    init(constraint: [String], objects: [NSManagedObject], row: StoredRow?) {
      self.constraint = constraint
      self.objects = objects
      self.row = row
    }
  }

  init() {}

  /// Adds those of another store.
  mutating func add(_ others: SaveConflicts) {
    versions += others.versions
    constraints += others.constraints
  }

  /// Whether there are none.
  var isEmpty: Bool { versions.isEmpty && constraints.isEmpty }
}
