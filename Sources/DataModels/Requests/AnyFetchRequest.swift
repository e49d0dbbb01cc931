import Foundation
import PredicateFormat
import Synchronization

/// The superclass of every ``NSFetchRequest``, with all settings but the Swift type of the results.
///
/// ```swift
/// func people(like request: AnyFetchRequest) throws -> [Person] {
///   try context.fetch(NSFetchRequest<Person>(request))
/// }
/// ```
///
/// Core Data's generic class is a single class at run time, so a request can be cast to another result type. Swift's
/// own generics don't allow that; code that is independent of the result type (stores, models, archives) uses this
/// class.
open class AnyFetchRequest: NSPersistentStoreRequest, @unchecked Sendable {
  // Sendable: used by one thread at a time, as Core Data requires for requests; a template is immutable.
  package final var fetchFlags = FetchRequestFlags.standard
  package final var storedResultType = NSFetchRequestResultType.managedObjectResultType
  package final var storedEntityName: String?
  private final var retainedEntity: NSEntityDescription?
  private final var entityLink: EntityLink?
  /// The entity to which the name was resolved at the first use of the request; see ``resolve(_:)``.
  private final let resolvedEntity = Atomic<UInt>(0)
  /// `NSAllocationType` of archives; `nil` when the key is missing.
  final var allocationType: Int?
  /// `NSAllocationSize` of archives; 0 when the key is missing.
  final var allocationSize = 0
  /// Unknown content found by a decoder, to be written back.
  final var preserved: (any Sendable)?
  private final var belongsToModel = false
  private final var isFrozen = false

  /// Creates a request without an entity.
  public override init() {
    super.init()
  }

  deinit { forgetResolved() }

  /// The entity to fetch.
  ///
  /// A request created with an entity's name has its entity from its first use by a context. A request retains its
  /// entity, unless the request belongs to a model.
  open var entity: NSEntityDescription? {
    get { retainedEntity ?? entityLink?.entity ?? resolved }
    set {
      willChange("setEntity:")
      forgetResolved()
      setEntity(newValue)
      storedEntityName = nil
    }
  }

  /// The entity's name.
  public final var entityName: String? { entity?.name ?? storedEntityName }

  /// A predicate for the objects to fetch; `nil` for all.
  ///
  /// A fetch follows the rules of the store, which differ from `NSPredicate.evaluate(with:)`:
  ///
  /// - In a SQLite store, a comparison with a missing value is neither true nor false, as in Core Data's SQL: `name !=
  ///   "x"`, `NOT (name == "x")` and `NOT (name CONTAINS "x")` don't find objects without a name. Add `OR name == nil`
  ///   to find them. In an in-memory store nil differs from every value. Unsaved objects are matched by the rules of
  ///   the store to which they will be saved; Core Data evaluates them, like arrays, by Foundation's rules.
  /// - Dates are numbers of seconds since 2001: `date + seconds < %@` and `%@ - date > 60` are valid, and division by
  ///   zero yields nil. In an in-memory store, as for `evaluate(with:)`, Core Data requires `CAST(date, "NSNumber")`.
  /// - A managed object is compared by identity: `company == %@` accepts the object of any context, or its `objectID`.
  ///
  /// Where Core Data raises an exception for a predicate that can't be evaluated (an invalid pattern, values of
  /// incompatible types, an unbound variable, an unknown key, a to-many relationship compared without `ANY`), a fetch,
  /// count or batch request throws an error of code `NSCoreDataError` and has no effect.
  open var predicate: NSPredicate? {
    willSet { willChange("setPredicate:") }
  }

  /// The sort order of the results.
  open var sortDescriptors: [NSSortDescriptor]? {
    willSet { willChange("setSortDescriptors:") }
  }

  /// The maximum number of results; 0 for no limit.
  open var fetchLimit: Int = 0 {
    willSet { willChange("setFetchLimit:") }
  }

  /// The number of results to skip.
  open var fetchOffset: Int = 0 {
    willSet { willChange("setFetchOffset:") }
  }

  /// The number of results loaded at a time; 0 for all.
  open var fetchBatchSize: Int = 0 {
    willSet { willChange("setFetchBatchSize:") }
  }

  /// The form of the results.
  ///
  /// As in Core Data, requesting identities turns off ``includesPropertyValues``, and requesting dictionaries turns off
  /// ``includesPendingChanges``.
  open var resultType: NSFetchRequestResultType {
    get { storedResultType }
    set {
      willChange("setResultType:")
      storedResultType = newValue
      if newValue == .managedObjectIDResultType { fetchFlags.remove(.includesPropertyValues) }
      if newValue == .dictionaryResultType { fetchFlags.remove(.includesPendingChanges) }
    }
  }

  /// Whether objects of subentities are included. True in a new request.
  open var includesSubentities: Bool {
    get { fetchFlags.contains(.includesSubentities) }
    set { setFlag(.includesSubentities, to: newValue, for: "setIncludesSubentities:") }
  }

  /// Whether values are read along with the identities. True in a new request.
  open var includesPropertyValues: Bool {
    get { fetchFlags.contains(.includesPropertyValues) }
    set { setFlag(.includesPropertyValues, to: newValue, for: "setIncludesPropertyValues:") }
  }

  /// Whether objects are returned as faults. True in a new request.
  open var returnsObjectsAsFaults: Bool {
    get { fetchFlags.contains(.returnsObjectsAsFaults) }
    set { setFlag(.returnsObjectsAsFaults, to: newValue, for: "setReturnsObjectsAsFaults:") }
  }

  /// Whether unsaved changes are taken into account. True in a new request.
  open var includesPendingChanges: Bool {
    get { fetchFlags.contains(.includesPendingChanges) }
    set { setFlag(.includesPendingChanges, to: newValue, for: "setIncludesPendingChanges:") }
  }

  /// Whether duplicate dictionaries are removed. False in a new request.
  open var returnsDistinctResults: Bool {
    get { fetchFlags.contains(.returnsDistinctResults) }
    set { setFlag(.returnsDistinctResults, to: newValue, for: "setReturnsDistinctResults:") }
  }

  /// Whether objects already in memory are updated with the values of the store. False in a new request.
  open var shouldRefreshRefetchedObjects: Bool {
    get { fetchFlags.contains(.refreshesRefetchedObjects) }
    set {
      setFlag(.refreshesRefetchedObjects, to: newValue, for: "setShouldRefreshRefetchedObjects:")
    }
  }

  /// The relationships whose destinations are loaded as well.
  open var relationshipKeyPathsForPrefetching: [String]? {
    willSet { willChange("setRelationshipKeyPathsForPrefetching:") }
  }

  /// The contents of dictionaries: names, property descriptions or expression descriptions.
  open var propertiesToFetch: [Any]? {
    willSet { willChange("setPropertiesToFetch:") }
  }

  /// The properties by which dictionaries are grouped: names, property descriptions or expression descriptions.
  open var propertiesToGroupBy: [Any]? {
    willSet { willChange("setPropertiesToGroupBy:") }
  }

  /// A predicate for the groups to return.
  open var havingPredicate: NSPredicate? {
    willSet { willChange("setHavingPredicate:") }
  }

  /// Whether the other object is a fetch request with equal settings.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? AnyFetchRequest).map { RequestComparison.difference(self, $0) == nil } ?? false
  }

  /// A textual description: the entity's name and the predicate.
  open override var description: String {
    let predicate = predicate.map { "; predicate: \($0.canonicalFormat)" } ?? ""
    return "NSFetchRequest (entity: \(entityName ?? "none")\(predicate))"
  }

  /// A hash that is equal for equal requests.
  open override var hash: Int { entityName.hashValue }

  /// Always ``NSPersistentStoreRequestType/fetchRequestType``.
  open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }
}

extension AnyFetchRequest {
  /// Sets the entity itself rather than only its name.
  final func setEntity(_ entity: NSEntityDescription?) {
    entityLink = entity?.link
    retainedEntity = belongsToModel ? nil : entity
  }

  /// Called when a model or a fetched property takes ownership of the request: the model owns its entities, so
  /// retaining one would create a reference cycle.
  final func joinModel() {
    belongsToModel = true
    retainedEntity = nil
  }

  /// Sets the entity to which the request's name resolves, unless the request has one or belongs to a model.
  ///
  /// Several threads may use a request concurrently; the first one to finish sets the entity.
  package final func resolve(_ entity: NSEntityDescription) {
    guard !belongsToModel, retainedEntity == nil, entityLink == nil else { return }
    let reference = Unmanaged.passRetained(entity)
    let (isFirst, _) = resolvedEntity.compareExchange(
      expected: 0, desired: UInt(bitPattern: reference.toOpaque()),
      ordering: .acquiringAndReleasing)
    if !isFirst { reference.release() }
  }

  private final var resolved: NSEntityDescription? {
    UnsafeRawPointer(bitPattern: resolvedEntity.load(ordering: .acquiring)).map {
      Unmanaged<NSEntityDescription>.fromOpaque($0).takeUnretainedValue()
    }
  }

  private final func forgetResolved() {
    let reference = resolvedEntity.exchange(0, ordering: .acquiringAndReleasing)
    guard let entity = UnsafeRawPointer(bitPattern: reference) else { return }
    Unmanaged<NSEntityDescription>.fromOpaque(entity).release()
  }

  /// Makes the request read-only.
  final func freeze() { isFrozen = true }

  final func willChange(_ selector: StaticString) {
    if isFrozen { Freezing.trap("NSFetchRequest", selector) }
  }

  private final func setFlag(
    _ flag: FetchRequestFlags, to isOn: Bool, for selector: StaticString
  ) {
    willChange(selector)
    if isOn { fetchFlags.insert(flag) } else { fetchFlags.remove(flag) }
  }

  /// Copies every setting of another request.
  package final func takeSettings(of other: AnyFetchRequest) {
    affectedStoreObjects = other.affectedStoreObjects
    fetchFlags = other.fetchFlags
    storedResultType = other.storedResultType
    storedEntityName = other.storedEntityName
    setEntity(other.entity)
    predicate = other.predicate
    havingPredicate = other.havingPredicate
    sortDescriptors = other.sortDescriptors
    fetchLimit = other.fetchLimit
    fetchOffset = other.fetchOffset
    fetchBatchSize = other.fetchBatchSize
    relationshipKeyPathsForPrefetching = other.relationshipKeyPathsForPrefetching
    propertiesToFetch = other.propertiesToFetch
    propertiesToGroupBy = other.propertiesToGroupBy
    allocationType = other.allocationType
    allocationSize = other.allocationSize
    preserved = other.preserved
  }
}

/// The Boolean settings of a fetch request, as in an archive's `NSFetchRequestFlags`.
package struct FetchRequestFlags: OptionSet, Sendable, Hashable {
  package var rawValue: Int

  package init(rawValue: Int) {
    self.rawValue = rawValue
  }

  static let returnsDistinctResults = FetchRequestFlags(rawValue: 0x1)
  static let includesSubentities = FetchRequestFlags(rawValue: 0x2)
  static let includesPropertyValues = FetchRequestFlags(rawValue: 0x4)
  static let returnsObjectsAsFaults = FetchRequestFlags(rawValue: 0x8)
  static let includesPendingChanges = FetchRequestFlags(rawValue: 0x10)
  static let refreshesRefetchedObjects = FetchRequestFlags(rawValue: 0x20)
  static let omitsStoreResultCache = FetchRequestFlags(rawValue: 0x40)

  /// The settings of a new request: 30.
  static let standard: FetchRequestFlags = [
    .includesSubentities, .includesPropertyValues, .returnsObjectsAsFaults,
    .includesPendingChanges,
  ]
}
