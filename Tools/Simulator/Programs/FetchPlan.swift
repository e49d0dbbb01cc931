/// A fetch request.
struct FetchPlan: Codable, Sendable, Hashable {
  enum Result: String, Codable, Sendable, CaseIterable { case objects, identities, count }

  var entity: String
  var includesSubentities = true
  var condition: Condition?
  /// The attributes to sort by; the serial number is always the last sort key, so that the order is unique.
  var sorts: [Sort] = []
  var limit = 0
  var offset = 0
  var includesPending = true
  var result = Result.objects
  /// Whether the fetch is asynchronous; this ends an event of a context with a queue.
  var isAsynchronous = false
  /// The batch size, or nil.
  var batchSize: Int?
  /// The relationships to prefetch, or nil.
  var prefetches: [String]?
  /// Whether objects are returned as faults; nil for the default.
  var areFaults: Bool?
  /// The attribute that divides a controller's objects into sections: the first sort key.
  var section: String?
}

/// A sort descriptor.
struct Sort: Codable, Sendable, Hashable {
  var attribute: String
  var isAscending = true
}

/// A predicate. Its constants are numbers of attribute values, and objects.
indirect enum Condition: Codable, Sendable, Hashable {
  enum Comparison: String, Codable, Sendable, CaseIterable {
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case greaterOrEqual = ">="
  }

  case attribute(String, Comparison, Int?)
  case oneOf(String, [Int])
  /// An attribute beside its greatest or least value among all objects of the entity.
  case extreme(String, Comparison, isGreatest: Bool)
  /// The destination of a to-one relationship, as an object or an object ID.
  case destination(String, ObjectName?, byIdentity: Bool)
  /// An attribute of a to-one relationship's destination.
  case through(String, String, Comparison, Int)
  case anyMember(String, ObjectName, byIdentity: Bool)
  case anyMemberAttribute(String, String, Comparison, Int)
  case memberCount(String, Comparison, Int)
  case object(ObjectName, byIdentity: Bool)
  case objects([ObjectName], byIdentity: Bool)
  case not(Condition)
  case all([Condition])
  case any([Condition])

  /// Whether objects are constants of the condition, which are looked up before it is evaluated.
  var namesObjects: Bool {
    switch self {
    case .destination, .anyMember, .object, .objects: true
    case .not(let condition): condition.namesObjects
    case .all(let conditions), .any(let conditions): conditions.contains(where: \.namesObjects)
    case .attribute, .oneOf, .extreme, .through, .anyMemberAttribute, .memberCount: false
    }
  }
}
