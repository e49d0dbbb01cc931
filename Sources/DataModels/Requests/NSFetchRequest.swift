import Foundation

/// A search for objects of an entity.
///
/// ```swift
/// let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Person")
/// request.predicate = NSPredicate(format: "age > 30")
/// request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
/// request.fetchLimit = 10
/// ```
///
/// The result type isn't constrained to ``NSFetchRequestResult``, because without the Objective-C runtime
/// `NSFetchRequest<NSFetchRequestResult>`, which Core Data programs use, couldn't satisfy that constraint itself. To
/// create a request with another result type, use ``init(_:)``.
open class NSFetchRequest<ResultType>: AnyFetchRequest, @unchecked Sendable {
  // Sendable: used by one thread at a time, as Core Data requires for requests; a template is immutable.

  /// Creates a request without an entity.
  public override init() {
    super.init()
  }

  /// Creates a request for objects of the entity with a name.
  ///
  /// The name is resolved when the request is used.
  public convenience init(entityName: String) {
    self.init()
    storedEntityName = entityName
  }

  /// Creates a copy of a request with another Swift type of results. A MomKit addition; Core Data programs use a cast.
  public convenience init(_ other: AnyFetchRequest) {
    self.init()
    takeSettings(of: other)
  }

  /// Converts a request to this type. Returns the request itself if it has this type already, otherwise a copy; nil if
  /// it isn't a fetch request.
  ///
  /// This replaces Core Data's `request as? NSFetchRequest<Person>`, which without the Objective-C runtime succeeds for
  /// only one result type. A copy is a separate object: changing it doesn't change the original.
  public static func converted(from request: Any?) -> NSFetchRequest<ResultType>? {
    if let request = request as? NSFetchRequest<ResultType> { return request }
    return (request as? AnyFetchRequest).map { NSFetchRequest<ResultType>($0) }
  }

  /// Creates an editable copy.
  open override func copy(with zone: NSZone? = nil) -> Any {
    duplicate()
  }

  final func duplicate() -> NSFetchRequest<ResultType> {
    NSFetchRequest<ResultType>(self)
  }
}

/// A result of a fetch request: managed objects, their identities, dictionaries or numbers.
public protocol NSFetchRequestResult: NSObjectProtocol {}

extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// The form of a fetch request's results.
public struct NSFetchRequestResultType: OptionSet, Hashable, Sendable {
  /// The number in archives.
  public let rawValue: UInt

  /// Creates a type from its number.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// Managed objects.
  public static var managedObjectResultType: NSFetchRequestResultType { [] }
  /// The identities of managed objects.
  public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
  /// Dictionaries of the requested properties.
  public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
  /// The number of results.
  public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}
