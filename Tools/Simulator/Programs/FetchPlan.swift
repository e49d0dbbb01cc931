/// A fetch request.
struct FetchPlan: Codable, Hashable {
  enum Result: String, Codable, CaseIterable { case objects, identities, count }

  var entity: String
  var includesSubentities = true
  var condition: Condition?
  /// Attributes to sort by; the serial follows them, so that there is one right order.
  var sorts: [Sort] = []
  var limit = 0
  var offset = 0
  var includesPending = true
  var result = Result.objects
  /// Whether the program doesn't wait for it, which ends an event of a context with a queue.
  var isAsynchronous = false
  /// The attribute that divides a controller's objects into sections; the first of those it sorts by.
  var section: String?
}

/// One descriptor of a sort.
struct Sort: Codable, Hashable {
  var attribute: String
  var isAscending = true
}

/// A predicate. Constants are numbers of attribute values, and objects.
indirect enum Condition: Codable, Hashable {
  enum Comparison: String, Codable, CaseIterable {
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case greaterOrEqual = ">="
  }

  case attribute(String, Comparison, Int?)
  case oneOf(String, [Int])
  /// A to-one relationship's destination, by object or by identity.
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
}
