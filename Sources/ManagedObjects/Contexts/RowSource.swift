/// The source and destination of a context's rows: a coordinator's stores, or the parent context.
protocol RowSource {
  func fetch(_ query: RowQuery, into sink: any RowSink) throws -> Bool
  func fetchRow(_ id: NSManagedObjectID, into sink: any RowSink) throws -> Bool
  /// Whether there is a row that stays: one that a parent shows as it was read may be gone from the store.
  func hasLastingRow(_ id: NSManagedObjectID) throws -> Bool
  func fetchDestinations(
    of id: NSManagedObjectID, _ property: PropertyLayout, into sink: any RowSink
  ) throws
  /// Sends the destinations of a relationship of many objects to `sink`; returns false if they must be requested
  /// object by object. See ``StoreEngine``.
  func fetchDestinations(
    ofMany owners: [Int64]?, in store: StoreReference, _ layout: EntityLayout,
    _ property: PropertyLayout, into sink: any RowSink, owner: (Int64) -> Bool
  ) throws -> Bool
  func fetchRows(
    _ keys: [Int64], in store: StoreReference, of root: EntityLayout, into sink: any RowSink
  ) throws -> Bool
  func obtainPermanentKeys(for objects: [NSManagedObject]) throws -> [PermanentKeys]
  /// Writes changes, and calls `whenWritten` with what was written before any observer is notified: observers may
  /// change the objects, and those changes aren't saved.
  func save(_ changes: ChangedObjects, whenWritten: (SavedObjects) -> Void) throws
}

extension RowSource {
  func hasLastingRow(_ id: NSManagedObjectID) throws -> Bool {
    try fetchRow(id, into: RowCollector())
  }

  func fetchDestinations(
    ofMany owners: [Int64]?, in store: StoreReference, _ layout: EntityLayout,
    _ property: PropertyLayout, into sink: any RowSink, owner: (Int64) -> Bool
  ) throws -> Bool { false }

  func fetchRows(
    _ keys: [Int64], in store: StoreReference, of root: EntityLayout, into sink: any RowSink
  ) throws -> Bool { false }
}
