import DataModels
import Foundation
import Synchronization

/// The registry of the program's migration policies, by the names used in mappings.
///
/// Like managed object classes, policies are found by `Module.Class`, or by a short name that is unique; if several
/// classes share it, by the name under which one was registered.
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

  /// Creates a policy for a mapping.
  ///
  /// - Throws: ``NSEntityMigrationPolicyError`` for an unknown class.
  func policy(for mapping: NSEntityMapping) throws -> NSEntityMigrationPolicy {
    guard let name = mapping.entityMigrationPolicyClassName, !name.isEmpty else {
      return NSEntityMigrationPolicy()
    }
    guard let type = find(name) else {
      throw CoreDataError.make(
        NSEntityMigrationPolicyError,
        "The mapping '\(mapping.name ?? "")' names the migration policy '\(name)', which the program "
          + "doesn't have: call \(name.split(separator: ".").last ?? "").register() first.",
        userInfo: ["policy": name])
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
    // The module named in a mapping may have another name here: packages choose their module names.
    return short.split(separator: ".").last.flatMap { last in
      known.withLock { $0[String(last)] }
    }
  }
}
