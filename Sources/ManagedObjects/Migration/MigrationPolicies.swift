import DataModels
import Foundation
import Synchronization

/// The program's migration policies, found by the names mappings give them.
///
/// As object classes, they are found by `Module.Class` or by a short name that is one class's alone; where several have
/// it, by the name that one was registered under.
final class MigrationPolicies: Sendable {
  static let shared = MigrationPolicies()

  private let known = Mutex<[String: NSEntityMigrationPolicy.Type]>(
    ["NSEntityMigrationPolicy": NSEntityMigrationPolicy.self])

  func register(_ type: NSEntityMigrationPolicy.Type) {
    let full = NSStringFromClass(type)
    known.withLock { known in
      known[full] = type
      known[full.split(separator: ".").last.map(String.init) ?? full] = type
    }
  }

  /// A new policy for a mapping.
  ///
  /// - Throws: ``NSEntityMigrationPolicyError`` for a class that isn't known.
  func policy(for mapping: NSEntityMapping) throws -> NSEntityMigrationPolicy {
    guard let name = mapping.entityMigrationPolicyClassName, !name.isEmpty else {
      return NSEntityMigrationPolicy()
    }
    guard let type = find(name) else {
      throw CoreDataError.make(
        NSEntityMigrationPolicyError,
        "The mapping '\(mapping.name ?? "")' names the migration policy '\(name)', which the program "
          + "doesn't have: call \(name.split(separator: ".").last ?? "").register() first.",
        ["policy": name])
    }
    return type.init()
  }

  private func find(_ name: String) -> NSEntityMigrationPolicy.Type? {
    let short = name.hasPrefix(".") ? String(name.dropFirst()) : name
    if let type = known.withLock({ $0[short] }) { return type }
    let module = ProcessInfo.processInfo.processName.replacing("-", with: "_")
    for candidate in ["\(module).\(short)", short] {
      if let type = NSClassFromString(candidate) as? NSEntityMigrationPolicy.Type { return type }
    }
    // The module that a mapping names may be another here: packages name theirs as they like.
    return short.split(separator: ".").last.flatMap { last in
      known.withLock { $0[String(last)] }
    }
  }
}
