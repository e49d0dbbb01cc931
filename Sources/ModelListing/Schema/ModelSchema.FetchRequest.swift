extension ModelSchema {
  /// A fetch request: a template of the model, or the request of a fetched property.
  public struct FetchRequest: Codable, Hashable, Sendable {
    /// The template's name; `nil` for a fetched property's request.
    public var name: String?

    /// The name of the entity to fetch.
    public var entity: String?

    /// The predicate, as text.
    public var predicate: String?

    /// The sort order of the results.
    public var sortDescriptors: [SortKey]

    /// The maximum number of results; 0 for no limit.
    public var fetchLimit: Int

    /// The number of results to skip.
    public var fetchOffset: Int

    /// The number of results fetched at a time; 0 for all.
    public var fetchBatchSize: Int

    /// The type of the results.
    public var resultType: ResultType

    /// The relationships whose objects are fetched as well.
    public var relationshipKeyPathsForPrefetching: [String]

    /// The properties to fetch.
    public var propertiesToFetch: [String]

    /// The properties to group results by.
    public var propertiesToGroupBy: [String]

    /// The predicate that groups must match, as text.
    public var havingPredicate: String?

    /// Whether objects of subentities are included.
    public var includesSubentities = true

    /// Whether values are fetched with the objects.
    public var includesPropertyValues = true

    /// Whether unsaved changes are taken into account.
    public var includesPendingChanges = true

    /// Whether objects are returned as faults.
    public var returnsObjectsAsFaults = true

    /// Whether duplicate results are removed.
    public var returnsDistinctResults = false

    /// Whether objects already in memory are refreshed.
    public var shouldRefreshRefetchedObjects = false

    /// Creates a request with Core Data's defaults for the flags.
    public init(
      name: String? = nil, entity: String?, predicate: String? = nil,
      sortDescriptors: [SortKey] = [], fetchLimit: Int = 0, fetchOffset: Int = 0,
      fetchBatchSize: Int = 0, resultType: ResultType = .managedObjects,
      relationshipKeyPathsForPrefetching: [String] = [], propertiesToFetch: [String] = [],
      propertiesToGroupBy: [String] = [], havingPredicate: String? = nil
    ) {
      self.name = name
      self.entity = entity
      self.predicate = predicate
      self.sortDescriptors = sortDescriptors
      self.fetchLimit = fetchLimit
      self.fetchOffset = fetchOffset
      self.fetchBatchSize = fetchBatchSize
      self.resultType = resultType
      self.relationshipKeyPathsForPrefetching = relationshipKeyPathsForPrefetching
      self.propertiesToFetch = propertiesToFetch
      self.propertiesToGroupBy = propertiesToGroupBy
      self.havingPredicate = havingPredicate
    }

    /// The type of a request's results.
    public enum ResultType: String, Codable, Hashable, Sendable {
      case managedObjects, managedObjectIDs, dictionaries, count
    }

    /// A sort key of a request.
    public struct SortKey: Codable, Hashable, Sendable {
      /// The key path.
      public var key: String?
      /// Whether the order is ascending.
      public var isAscending: Bool
      /// The name of the comparison method.
      public var selector: String?

      /// Creates a key.
      public init(key: String?, isAscending: Bool = true, selector: String? = nil) {
        self.key = key
        self.isAscending = isAscending
        self.selector = selector
      }
    }
  }

  /// The part of a property that is specific to fetched properties.
  public struct FetchedProperty: Codable, Hashable, Sendable {
    /// The property's fetch request.
    public var fetchRequest: FetchRequest?

    /// Creates the part of a property that is specific to fetched properties.
    public init(fetchRequest: FetchRequest?) {
      self.fetchRequest = fetchRequest
    }
  }
}
