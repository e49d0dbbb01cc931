/// The facts of fetch requests, both templates and those of fetched properties.
package enum FetchRequestFact: DescriptionFact {
  case entity, predicate, sortDescriptors, resultType, fetchLimit, fetchOffset, fetchBatchSize
  case includesSubentities, includesPropertyValues, returnsObjectsAsFaults, includesPendingChanges
  case returnsDistinctResults, refreshesRefetchedObjects, otherFlags
  case prefetchedKeyPaths, propertiesToFetch, propertiesToGroupBy, havingPredicate

  package var traits: FactTraits {
    switch self {
    case .entity: row("entity")
    case .predicate: row("predicate")
    case .sortDescriptors: row("sortDescriptors")
    case .resultType: row("resultType")
    case .fetchLimit: row("fetchLimit")
    case .fetchOffset: row("fetchOffset")
    case .fetchBatchSize: row("fetchBatchSize")
    case .includesSubentities: row("includesSubentities")
    case .includesPropertyValues: row("includesPropertyValues")
    case .returnsObjectsAsFaults: row("returnsObjectsAsFaults")
    case .includesPendingChanges: row("includesPendingChanges")
    case .returnsDistinctResults: row("returnsDistinctResults")
    case .refreshesRefetchedObjects:
      row("shouldRefreshRefetchedObjects", told: "refreshesRefetchedObjects")
    // Archived bits that don't correspond to a known setting.
    case .otherFlags: FactTraits("flags", told: nil)
    case .prefetchedKeyPaths:
      row("relationshipKeyPathsForPrefetching", told: "prefetchedKeyPaths")
    case .propertiesToFetch: row("propertiesToFetch")
    case .propertiesToGroupBy: row("propertiesToGroupBy")
    case .havingPredicate: row("havingPredicate")
    }
  }

  private func row(_ name: String, told factName: String? = nil) -> FactTraits {
    FactTraits(name, told: factName ?? name, noHash: "fetch requests are not hashed")
  }

  package func isSame(_ left: AnyFetchRequest, _ right: AnyFetchRequest) -> Bool {
    func flag(_ flag: FetchRequestFlags) -> Bool {
      left.fetchFlags.contains(flag) == right.fetchFlags.contains(flag)
    }
    return switch self {
    case .entity: left.entityName == right.entityName
    case .predicate: PredicateEquality.areEqual(left.predicate, right.predicate)
    case .sortDescriptors:
      (left.sortDescriptors ?? []) == (right.sortDescriptors ?? [])
    case .resultType: left.storedResultType == right.storedResultType
    case .fetchLimit: left.fetchLimit == right.fetchLimit
    case .fetchOffset: left.fetchOffset == right.fetchOffset
    case .fetchBatchSize: left.fetchBatchSize == right.fetchBatchSize
    case .includesSubentities: flag(.includesSubentities)
    case .includesPropertyValues: flag(.includesPropertyValues)
    case .returnsObjectsAsFaults: flag(.returnsObjectsAsFaults)
    case .includesPendingChanges: flag(.includesPendingChanges)
    case .returnsDistinctResults: flag(.returnsDistinctResults)
    case .refreshesRefetchedObjects: flag(.refreshesRefetchedObjects)
    case .otherFlags: left.fetchFlags == right.fetchFlags
    case .prefetchedKeyPaths:
      (left.relationshipKeyPathsForPrefetching ?? [])
        == (right.relationshipKeyPathsForPrefetching ?? [])
    case .propertiesToFetch:
      Self.names(left.propertiesToFetch) == Self.names(right.propertiesToFetch)
    case .propertiesToGroupBy:
      Self.names(left.propertiesToGroupBy) == Self.names(right.propertiesToGroupBy)
    case .havingPredicate:
      PredicateEquality.areEqual(left.havingPredicate, right.havingPredicate)
    }
  }

  private static func names(_ members: [Any]?) -> [String] {
    (members ?? []).map { member in
      (member as? NSPropertyDescription)?.name ?? (member as? String) ?? "\(member)"
    }
  }
}
