import DataModels
import Foundation
import Synchronization

/// The keys of Swift key paths.
public enum KeyPathNames {
  /// Sendable: key paths are immutable, though Swift doesn't declare those with arguments so.
  private struct Path: Hashable, @unchecked Sendable { let keyPath: AnyKeyPath }

  private static let known = Mutex<[Path: String?]>([:])
  /// The maximum number of cached paths: key paths with arguments may be new objects each time.
  private static let limit = 4096

  /// The keys of a path, like `#keyPath` with the Objective-C runtime: `employer.name` for `\Person.employer?.name`.
  ///
  /// The key of a managed property is found by reading the path on an object without a context, once per path; the
  /// key of a stored property is its name.
  ///
  /// - Returns: nil for a path that reads no property or several.
  public static func name(of keyPath: AnyKeyPath) -> String? {
    let path = Path(keyPath: keyPath)
    if let name = known.withLock({ $0[path] }) { return name }
    let name = KeyPathRecorder.name(of: keyPath) ?? storedName(of: keyPath)
    known.withLock { known in
      if known.count < limit { known[path] = .some(name) }
    }
    return name
  }

  /// The names of stored properties, which a key path's description contains: `\Person.address?.city`.
  private static func storedName(of keyPath: AnyKeyPath) -> String? {
    let text = keyPath.debugDescription
    guard text.hasPrefix("\\"), !text.contains("<") else { return nil }
    let parts = text.dropFirst().split(separator: ".").map { $0.trimming("?!") }
    let root = String(describing: type(of: keyPath).rootType).split(separator: ".").count
    let names = parts.dropFirst(root)
    return names.isEmpty || names.first == "self" ? nil : names.joined(separator: ".")
  }
}

extension Substring {
  fileprivate func trimming(_ characters: String) -> String {
    trimmingCharacters(in: CharacterSet(charactersIn: characters))
  }
}
