import Foundation
import PredicateFormat

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

/// Whether predicates are the same, by structure. Foundation's own classes, which compare by identity
/// or not at all, are compared by what they say.
enum PredicateEquality {
  static func areEqual(_ left: NSPredicate?, _ right: NSPredicate?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left === right || left.tree.isEquivalent(to: right.tree)
  }

  static func areEqual(_ left: [NSPredicate], _ right: [NSPredicate]) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { areEqual($0, $1) }
  }
}
