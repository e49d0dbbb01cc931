import Foundation
import PredicateFormat
import Synchronization

/// Everything of a fetch request but the Swift type of its results: the superclass of every
/// ``NSFetchRequest``.
///
/// Core Data's generic class is one class at run time, so that a request can be cast to another
/// result type. Swift's own generics are not; what doesn't care for the type of the results (stores,
/// models, archives) works with this class.
open class AnyFetchRequest: NSPersistentStoreRequest, @unchecked Sendable {
  // Sendable: used in one place at a time, as Core Data asks of requests; a template never changes.
  package final var fetchFlags = FetchRequestFlags.standard
  package final var storedResultType = NSFetchRequestResultType.managedObjectResultType
  package final var storedEntityName: String?
  private final var retainedEntity: NSEntityDescription?
  private final var entityLink: EntityLink?
  /// The entity that the name stood for where the request was first used; see ``resolve(_:)``.
  private final let resolvedEntity = Atomic<UInt>(0)
  /// `NSAllocationType` of archives; `nil` when the key is missing.
  final var allocationType: Int?
  /// `NSAllocationSize` of archives; 0 when the key is missing.
  final var allocationSize = 0
  /// What a decoder met and doesn't know, to be written back.
  final var preserved: (any Sendable)?
  private final var belongsToModel = false
  private final var isFrozen = false

  /// Makes a request without an entity.
  public override init() {
    super.init()
  }

  deinit { forgetResolved() }

  /// The entity whose objects are fetched.
  ///
  /// A request made with an entity's name has it from its first use by a context on. A request keeps its
  /// entity alive, except one that a model holds.
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

  /// Which objects are fetched; `nil` for all.
  ///
  /// A fetch answers by the rules of the store, which aren't all those of `NSPredicate.evaluate(with:)`:
  ///
  /// - In a SQLite store a comparison with a missing value is neither true nor false, as in Core Data's
  ///   SQL: `name != "x"`, `NOT (name == "x")` and `NOT (name CONTAINS "x")` don't find objects without a
  ///   name. Say `OR name == nil` for those. In a store in memory nil differs from every value. Unsaved
  ///   objects are found by the rules of the store they will be in; Core Data evaluates them, as arrays,
  ///   by Foundation's.
  /// - Dates are numbers, of seconds since 2001: `date + seconds < %@` and `%@ - date > 60` compute, and
  ///   what is divided by zero is nil. Core Data needs `CAST(date, "NSNumber")` in a store in memory, as
  ///   `evaluate(with:)` does.
  /// - A managed object counts as its identity: `company == %@` takes the object of any context, or its
  ///   `objectID`.
  ///
  /// Where Core Data raises an exception for a predicate that can't be answered (a bad pattern, values of
  /// unlike types, a variable without a value, an unknown key, a to-many relationship compared without
  /// `ANY`), a fetch, a count and a batch throw an error of code `NSCoreDataError` and find or change nothing.
  open var predicate: NSPredicate? {
    willSet { willChange("setPredicate:") }
  }

  /// In which order they come.
  open var sortDescriptors: [NSSortDescriptor]? {
    willSet { willChange("setSortDescriptors:") }
  }

  /// How many there are at most; 0 for any number.
  open var fetchLimit: Int = 0 {
    willSet { willChange("setFetchLimit:") }
  }

  /// How many are left out from the beginning.
  open var fetchOffset: Int = 0 {
    willSet { willChange("setFetchOffset:") }
  }

  /// How many are loaded at a time; 0 for all.
  open var fetchBatchSize: Int = 0 {
    willSet { willChange("setFetchBatchSize:") }
  }

  /// The form of the results.
  ///
  /// As in Core Data, asking for identities turns ``includesPropertyValues`` off, and asking for
  /// dictionaries ``includesPendingChanges``.
  open var resultType: NSFetchRequestResultType {
    get { storedResultType }
    set {
      willChange("setResultType:")
      storedResultType = newValue
      if newValue == .managedObjectIDResultType { fetchFlags.remove(.includesPropertyValues) }
      if newValue == .dictionaryResultType { fetchFlags.remove(.includesPendingChanges) }
    }
  }

  /// Whether objects of subentities count. True in a new request.
  open var includesSubentities: Bool {
    get { fetchFlags.contains(.includesSubentities) }
    set { setFlag(.includesSubentities, newValue, "setIncludesSubentities:") }
  }

  /// Whether the values are read along with the identities. True in a new request.
  open var includesPropertyValues: Bool {
    get { fetchFlags.contains(.includesPropertyValues) }
    set { setFlag(.includesPropertyValues, newValue, "setIncludesPropertyValues:") }
  }

  /// Whether objects come as faults. True in a new request.
  open var returnsObjectsAsFaults: Bool {
    get { fetchFlags.contains(.returnsObjectsAsFaults) }
    set { setFlag(.returnsObjectsAsFaults, newValue, "setReturnsObjectsAsFaults:") }
  }

  /// Whether unsaved changes count. True in a new request.
  open var includesPendingChanges: Bool {
    get { fetchFlags.contains(.includesPendingChanges) }
    set { setFlag(.includesPendingChanges, newValue, "setIncludesPendingChanges:") }
  }

  /// Whether equal dictionaries come once. False in a new request.
  open var returnsDistinctResults: Bool {
    get { fetchFlags.contains(.returnsDistinctResults) }
    set { setFlag(.returnsDistinctResults, newValue, "setReturnsDistinctResults:") }
  }

  /// Whether objects already in memory take the values of the store. False in a new request.
  open var shouldRefreshRefetchedObjects: Bool {
    get { fetchFlags.contains(.refreshesRefetchedObjects) }
    set { setFlag(.refreshesRefetchedObjects, newValue, "setShouldRefreshRefetchedObjects:") }
  }

  /// The relationships whose destinations are loaded too.
  open var relationshipKeyPathsForPrefetching: [String]? {
    willSet { willChange("setRelationshipKeyPathsForPrefetching:") }
  }

  /// What dictionaries hold: names, property descriptions or expression descriptions.
  open var propertiesToFetch: [Any]? {
    willSet { willChange("setPropertiesToFetch:") }
  }

  /// What dictionaries are grouped by: names, property descriptions or expression descriptions.
  open var propertiesToGroupBy: [Any]? {
    willSet { willChange("setPropertiesToGroupBy:") }
  }

  /// Which groups remain.
  open var havingPredicate: NSPredicate? {
    willSet { willChange("setHavingPredicate:") }
  }

  /// Whether the other is a fetch request with equal settings.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? AnyFetchRequest).map { RequestComparison.difference(self, $0) == nil } ?? false
  }

  /// A line for people: the entity's name and the predicate.
  open override var description: String {
    let predicate = predicate.map { "; predicate: \($0.canonicalFormat)" } ?? ""
    return "NSFetchRequest (entity: \(entityName ?? "none")\(predicate))"
  }

  /// Equal requests have equal hashes.
  open override var hash: Int { entityName.hashValue }

  /// Always ``NSPersistentStoreRequestType/fetchRequestType``.
  open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }
}

extension AnyFetchRequest {
  /// The entity, when the reference itself was set or decoded, not its name only.
  final func setEntity(_ entity: NSEntityDescription?) {
    entityLink = entity?.link
    retainedEntity = belongsToModel ? nil : entity
  }

  /// Called when a model or a fetched property takes the request: the model keeps its entities, and
  /// a request that kept one too would close a circle.
  final func joinModel() {
    belongsToModel = true
    retainedEntity = nil
  }

  /// Takes the entity that the request's name stands for, unless it has one, or a model holds it.
  ///
  /// Several threads may use a request at once: the first to be done says what it is.
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
    _ flag: FetchRequestFlags, _ isOn: Bool, _ selector: StaticString
  ) {
    willChange(selector)
    if isOn { fetchFlags.insert(flag) } else { fetchFlags.remove(flag) }
  }

  /// Takes every setting of another request.
  final func takeSettings(of other: AnyFetchRequest) {
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

/// The yes-or-no settings of a fetch request, as its archive's `NSFetchRequestFlags` has them.
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

  /// What a new request has: 30.
  static let standard: FetchRequestFlags = [
    .includesSubentities, .includesPropertyValues, .returnsObjectsAsFaults,
    .includesPendingChanges,
  ]
}
