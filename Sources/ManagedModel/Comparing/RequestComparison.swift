import Foundation

/// Finds out in which setting two fetch requests differ.
enum RequestComparison {
  /// The name of the first setting that differs, or `nil` when the requests are equal.
  static func difference(_ left: AnyFetchRequest?, _ right: AnyFetchRequest?) -> String? {
    guard let left, let right else {
      return left == nil && right == nil ? nil : "presence"
    }
    if left === right { return nil }
    if left.entityName != right.entityName { return "entity" }
    if left.fetchFlags != right.fetchFlags { return "flags" }
    if left.storedResultType != right.storedResultType { return "resultType" }
    if left.storedFetchLimit != right.storedFetchLimit { return "fetchLimit" }
    if left.storedFetchOffset != right.storedFetchOffset { return "fetchOffset" }
    if left.storedFetchBatchSize != right.storedFetchBatchSize { return "fetchBatchSize" }
    if !PredicateEquality.areEqual(left.storedPredicate, right.storedPredicate) {
      return "predicate"
    }
    if !PredicateEquality.areEqual(left.storedHavingPredicate, right.storedHavingPredicate) {
      return "havingPredicate"
    }
    if (left.storedSortDescriptors ?? []) != (right.storedSortDescriptors ?? []) {
      return "sortDescriptors"
    }
    if (left.storedPrefetchKeyPaths ?? []) != (right.storedPrefetchKeyPaths ?? []) {
      return "relationshipKeyPathsForPrefetching"
    }
    if names(left.storedPropertiesToFetch) != names(right.storedPropertiesToFetch) {
      return "propertiesToFetch"
    }
    return names(left.storedPropertiesToGroupBy) == names(right.storedPropertiesToGroupBy)
      ? nil : "propertiesToGroupBy"
  }

  private static func names(_ members: [Any]?) -> [String] {
    (members ?? []).map { member in
      (member as? NSPropertyDescription)?.name ?? (member as? String) ?? "\(member)"
    }
  }
}
