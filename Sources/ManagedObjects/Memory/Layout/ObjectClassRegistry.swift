import Foundation
import Synchronization

/// The program's object classes, found by the names models give them.
///
/// A class that the program has used is remembered under its full name (`Module.Person`) and its short
/// one (`Person`, which most models say): after `Person(context:)`, `NSFetchRequest<Person>` or
/// ``NSManagedObject/register()``. Others are looked for among all classes of the program, where a
/// short name must stand for one class alone.
final class ObjectClassRegistry: Sendable {
  static let shared = ObjectClassRegistry()

  private struct Known {
    var names: [String: NSManagedObject.Type] = ["NSManagedObject": NSManagedObject.self]
    var types: Set<ObjectIdentifier> = []
  }

  private let known = Mutex(Known())

  /// How many classes were made known so far.
  var count: Int { known.withLock { $0.types.count } }

  /// Remembers a class under its full and its short name.
  func register(_ type: NSManagedObject.Type) {
    // Called for every new object: the names are made the first time only.
    guard !known.withLock({ $0.types.contains(ObjectIdentifier(type)) }) else { return }
    let (full, short) = Self.names(of: type)
    known.withLock { known in
      known.names[full] = type
      known.names[short] = type
      known.types.insert(ObjectIdentifier(type))
    }
  }

  /// The class of a name, with or without its module.
  func find(_ name: String) -> NSManagedObject.Type? {
    if let type = known.withLock({ $0.names[name] }) { return type }
    // Xcode writes a leading dot for "the current module": here, the program's own.
    let short = name.hasPrefix(".") ? String(name.dropFirst()) : name
    if let type = known.withLock({ $0.names[short] }) { return type }
    // The program's own module first, where several have a class of that name.
    let module = ProcessInfo.processInfo.processName.replacing("-", with: "_")
    for candidate in ["\(module).\(short)", short] {
      let found: AnyClass? = RuntimeClasses.find(candidate) { $0 is NSManagedObject.Type }
      guard let type = found as? NSManagedObject.Type else { continue }
      register(type)
      return type
    }
    return nil
  }

  /// `Module.Person` and `Person`.
  static func names(of type: NSManagedObject.Type) -> (full: String, short: String) {
    let names = RuntimeClasses.names(of: type)
    return (names.joined(separator: "."), names.last ?? "")
  }
}
