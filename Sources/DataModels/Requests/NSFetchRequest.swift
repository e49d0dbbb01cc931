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
/// The type of the results isn't bound to ``NSFetchRequestResult``, because without the Objective-C
/// runtime `NSFetchRequest<NSFetchRequestResult>`, which Core Data's programs write, couldn't fulfil
/// that bound itself. A request for another type of results is made with ``init(_:)``.
open class NSFetchRequest<ResultType>: AnyFetchRequest, @unchecked Sendable {
  // Sendable: used in one place at a time, as Core Data asks of requests; a template never changes.

  /// Makes a request without an entity.
  public override init() {
    super.init()
  }

  /// Makes a request for objects of the entity of this name.
  ///
  /// The name is looked up when the request is used.
  public convenience init(entityName: String) {
    self.init()
    storedEntityName = entityName
  }

  /// Makes a copy of a request for results of another Swift type. MomKit's own addition; Core Data's
  /// programs use a cast.
  public convenience init(_ other: AnyFetchRequest) {
    self.init()
    takeSettings(of: other)
  }

  /// The request in this type: itself if it is of it already, else a copy; nil for what isn't a fetch request.
  ///
  /// It takes the place of Core Data's `request as? NSFetchRequest<Person>`, which without the Objective-C
  /// runtime finds one type of results only. A copy is another object: changes of it aren't the original's.
  public static func converted(from request: Any?) -> NSFetchRequest<ResultType>? {
    if let request = request as? NSFetchRequest<ResultType> { return request }
    return (request as? AnyFetchRequest).map { NSFetchRequest<ResultType>($0) }
  }

  /// Makes an editable copy.
  open override func copy(with zone: NSZone? = nil) -> Any {
    duplicate()
  }

  final func duplicate() -> NSFetchRequest<ResultType> {
    NSFetchRequest<ResultType>(self)
  }
}

/// What a fetch request may give: managed objects, their identities, dictionaries or numbers.
public protocol NSFetchRequestResult: NSObjectProtocol {}

extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// The form of a fetch request's results.
public struct NSFetchRequestResultType: OptionSet, Hashable, Sendable {
  /// The number in archives.
  public let rawValue: UInt

  /// Makes the type of this number.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// Managed objects.
  public static var managedObjectResultType: NSFetchRequestResultType { [] }
  /// The identities of managed objects.
  public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
  /// Dictionaries of the properties asked for.
  public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
  /// How many there are: one number.
  public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}
