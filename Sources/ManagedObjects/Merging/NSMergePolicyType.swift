/// What a merge policy does.
public enum NSMergePolicyType: UInt, Sendable, CaseIterable {
  /// Saving fails.
  case errorMergePolicyType = 0
  /// Property by property; where both changed, the store's value stays.
  case mergeByPropertyStoreTrumpMergePolicyType = 1
  /// Property by property; where both changed, the object's value is saved.
  case mergeByPropertyObjectTrumpMergePolicyType = 2
  /// The object is saved as it is.
  case overwriteMergePolicyType = 3
  /// The object's changes are dropped.
  case rollbackMergePolicyType = 4
}
