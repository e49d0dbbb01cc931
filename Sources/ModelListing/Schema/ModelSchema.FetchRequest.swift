extension ModelSchema {
  /// A fetch request: a template of the model, or what a fetched property fetches.
  public struct FetchRequest: Codable, Hashable, Sendable {
    /// The template's name; `nil` for a fetched property's request.
    public var name: String?

    /// The name of the entity that is fetched.
    public var entity: String?

    /// The predicate, as text.
    public var predicate: String?

    /// The order of the results.
    public var sortDescriptors: [SortKey]

    /// The greatest number of results; 0 for any.
    public var fetchLimit: Int

    /// How many results are passed over.
    public var fetchOffset: Int

    /// How many results are fetched at a time; 0 for all.
    public var fetchBatchSize: Int

    /// What the results are.
    public var resultType: ResultType

    /// The relationships whose objects are fetched too.
    public var relationshipKeyPathsForPrefetching: [String]

    /// The properties to fetch.
    public var propertiesToFetch: [String]

    /// The properties to group results by.
    public var propertiesToGroupBy: [String]

    /// The predicate that groups must match, as text.
    public var havingPredicate: String?

    /// Whether objects of subentities are fetched.
    public var includesSubentities = true

    /// Whether the values come with the objects.
    public var includesPropertyValues = true

    /// Whether unsaved changes count.
    public var includesPendingChanges = true

    /// Whether objects come as faults.
    public var returnsObjectsAsFaults = true

    /// Whether each result comes once.
    public var returnsDistinctResults = false

    /// Whether objects that are already there are refreshed.
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

    /// What the results of a request are.
    public enum ResultType: String, Codable, Hashable, Sendable {
      case managedObjects, managedObjectIDs, dictionaries, count
    }

    /// One key of a request's order.
    public struct SortKey: Codable, Hashable, Sendable {
      /// The key path.
      public var key: String?
      /// Whether the order is ascending.
      public var isAscending: Bool
      /// The name of the method that compares.
      public var selector: String?

      /// Creates a key.
      public init(key: String?, isAscending: Bool = true, selector: String? = nil) {
        self.key = key
        self.isAscending = isAscending
        self.selector = selector
      }
    }
  }

  /// What fetched properties add to the properties' common part.
  public struct FetchedProperty: Codable, Hashable, Sendable {
    /// What the property fetches.
    public var fetchRequest: FetchRequest?

    /// Creates the part of a property that fetched properties add.
    public init(fetchRequest: FetchRequest?) {
      self.fetchRequest = fetchRequest
    }
  }
}
