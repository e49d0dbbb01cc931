/// What became of an object or a section of a fetched results controller.
public enum NSFetchedResultsChangeType: UInt, Sendable, CaseIterable {
  /// It came.
  case insert = 1
  /// It went.
  case delete = 2
  /// It is in another place now; an object may have changed as well.
  case move = 3
  /// An object changed in its place.
  case update = 4
}
