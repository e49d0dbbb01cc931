import Foundation
import Synchronization

/// The program's object classes, found by the names models give them.
///
/// Without the Objective-C runtime a class can be found by its full name only (`Module.Person`),
/// while models mostly say `Person`. So classes are remembered under both names as soon as the
/// program uses them: `Person(context:)`, `NSFetchRequest<Person>`, ``NSManagedObject/register()``.
final class ManagedClasses: Sendable {
  static let shared = ManagedClasses()

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
    let module = ProcessInfo.processInfo.processName.replacing("-", with: "_")
    for candidate in [short, "\(module).\(short)"] {
      // Foundation complains aloud about names of more than two parts.
      guard candidate.split(separator: ".").count == 2,
        let type = NSClassFromString(candidate) as? NSManagedObject.Type
      else { continue }
      register(type)
      return type
    }
    return nil
  }

  /// `Module.Person` and `Person`.
  static func names(of type: NSManagedObject.Type) -> (full: String, short: String) {
    let full = NSStringFromClass(type)
    return (full, full.split(separator: ".").last.map(String.init) ?? full)
  }
}
