import DataModels
import Foundation
import PredicateFormat

extension ModelSchema.FetchRequest {
  /// Creates the schema of a fetch request.
  init(_ request: NSFetchRequest<NSFetchRequestResult>, name: String? = nil) {
    self.init(
      name: name,
      entity: request.entityName,
      predicate: request.predicate.map { FormatText.text(of: $0) },
      sortDescriptors: (request.sortDescriptors ?? []).map { SortKey($0) },
      fetchLimit: request.fetchLimit,
      fetchOffset: request.fetchOffset,
      fetchBatchSize: request.fetchBatchSize,
      resultType: ResultType(request.resultType),
      relationshipKeyPathsForPrefetching: request.relationshipKeyPathsForPrefetching ?? [],
      propertiesToFetch: (request.propertiesToFetch ?? []).map { FormatText.name(of: $0) },
      propertiesToGroupBy: (request.propertiesToGroupBy ?? []).map { FormatText.name(of: $0) },
      havingPredicate: request.havingPredicate.map { FormatText.text(of: $0) })
    includesSubentities = request.includesSubentities
    includesPropertyValues = request.includesPropertyValues
    includesPendingChanges = request.includesPendingChanges
    returnsObjectsAsFaults = request.returnsObjectsAsFaults
    returnsDistinctResults = request.returnsDistinctResults
    shouldRefreshRefetchedObjects = request.shouldRefreshRefetchedObjects
  }
}

extension ModelSchema.FetchRequest.ResultType {
  init(_ type: NSFetchRequestResultType) {
    if type.contains(.countResultType) {
      self = .count
    } else if type.contains(.dictionaryResultType) {
      self = .dictionaries
    } else if type.contains(.managedObjectIDResultType) {
      self = .managedObjectIDs
    } else {
      self = .managedObjects
    }
  }
}

extension ModelSchema.FetchRequest.SortKey {
  init(_ descriptor: NSSortDescriptor) {
    self.init(
      key: descriptor.key, isAscending: descriptor.ascending, selector: descriptor.selector?.name)
  }
}
