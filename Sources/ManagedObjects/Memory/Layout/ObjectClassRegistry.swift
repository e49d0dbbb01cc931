import Foundation
import Synchronization

/// The program's managed object classes, by the names that models use.
///
/// A class that the program has used is registered under its full name (`Module.Person`) and its short name
/// (`Person`, which most models use): after `Person(context:)`, `NSFetchRequest<Person>` or
/// ``NSManagedObject/register()``. Other classes are searched for among all classes of the program, where a short
/// name must be unique.
final class ObjectClassRegistry: Sendable {
  static let shared = ObjectClassRegistry()

  private struct Known {
    var names: [String: NSManagedObject.Type] = ["NSManagedObject": NSManagedObject.self]
    var types: Set<ObjectIdentifier> = []
  }

  private let known = Mutex(Known())

  /// The number of registered classes.
  var count: Int { known.withLock { $0.types.count } }

  /// Registers a class under its full and its short name.
  func register(_ type: NSManagedObject.Type) {
    // Called for every new object: the names are only computed the first time.
    guard !known.withLock({ $0.types.contains(ObjectIdentifier(type)) }) else { return }
    let (full, short) = Self.names(of: type)
    known.withLock { known in
      known.names[full] = type
      known.names[short] = type
      known.types.insert(ObjectIdentifier(type))
    }
  }

  /// The class with a name, with or without its module.
  func find(_ name: String) -> NSManagedObject.Type? {
    if let type = known.withLock({ $0.names[name] }) { return type }
    // Xcode writes a leading dot for "the current module": here, the program's own.
    let short = name.hasPrefix(".") ? String(name.dropFirst()) : name
    if let type = known.withLock({ $0.names[short] }) { return type }
    // If several modules have a class of this name, the program's own module takes precedence.
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
