/// Where a context's rows come from and go to: a coordinator's stores, or the parent context.
protocol RowSource {
  func fetch(_ query: RowQuery, into sink: any RowSink) throws -> Bool
  func fetchRow(_ id: NSManagedObjectID, into sink: any RowSink) throws -> Bool
  func fetchDestinations(
    of id: NSManagedObjectID, _ property: PropertyLayout, into sink: any RowSink
  ) throws
  func obtainPermanentIDs(for objects: [NSManagedObject]) throws -> [NSManagedObjectID]
  func save(_ changes: StoreChanges) throws
}
