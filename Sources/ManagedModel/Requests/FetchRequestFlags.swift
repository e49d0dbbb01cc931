/// The yes-or-no settings of a fetch request, as its archive's `NSFetchRequestFlags` has them.
package struct FetchRequestFlags: OptionSet, Sendable, Hashable {
  package var rawValue: Int

  package init(rawValue: Int) {
    self.rawValue = rawValue
  }

  package static let returnsDistinctResults = FetchRequestFlags(rawValue: 0x1)
  package static let includesSubentities = FetchRequestFlags(rawValue: 0x2)
  package static let includesPropertyValues = FetchRequestFlags(rawValue: 0x4)
  package static let returnsObjectsAsFaults = FetchRequestFlags(rawValue: 0x8)
  package static let includesPendingChanges = FetchRequestFlags(rawValue: 0x10)
  package static let refreshesRefetchedObjects = FetchRequestFlags(rawValue: 0x20)
  package static let omitsStoreResultCache = FetchRequestFlags(rawValue: 0x40)
  package static let purgeable = FetchRequestFlags(rawValue: 0x80)

  /// What a new request has: 30.
  package static let standard: FetchRequestFlags = [
    .includesSubentities, .includesPropertyValues, .returnsObjectsAsFaults,
    .includesPendingChanges,
  ]
}
