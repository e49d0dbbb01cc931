import Foundation
import Synchronization

/// What `NSSortDescriptor` lacks on Linux, supplied by a protocol extension: Swift prefers these
/// members to the ones that Foundation marks unavailable there. Not to be adopted.
public protocol SortDescribing {}

extension NSSortDescriptor: SortDescribing {}

extension SortDescribing {
  /// A sort by a key path.
  ///
  /// ```swift
  /// request.sortDescriptors = [NSSortDescriptor(key: "lastName", ascending: true)]
  /// ```
  public init(key: String?, ascending: Bool) {
    self.init(SortKey(key, ascending: ascending))
  }

  /// A sort by a key path, comparing by a selector such as `.caseInsensitiveCompare`.
  public init(key: String?, ascending: Bool, selector: Selector?) {
    self.init(SortKey(key, ascending: ascending, selector: selector?.name))
  }

  /// A sort by a key path, comparing by a block. Stores can't sort so; arrays can.
  public init(key: String?, ascending: Bool, comparator: @escaping Comparator) {
    self.init(
      adopting: KeySortDescriptor(
        sorting: SortKey(key, ascending: ascending, selector: nil), comparator: comparator))
  }

  /// A sort by a key, from its value.
  public init(_ sortKey: SortKey) { self.init(adopting: KeySortDescriptor(sorting: sortKey)) }

  private init(adopting descriptor: NSSortDescriptor) {
    guard let adopted = descriptor as? Self else {
      preconditionFailure("\(Self.self)(key:ascending:): use NSSortDescriptor")
    }
    self = adopted
  }
}

extension SortDescribing where Self: NSSortDescriptor {
  /// The key path; nil for a descriptor made of none, or of a Swift key path that is of no managed object's
  /// property.
  public var key: String? {
    (self as? KeySortDescriptor)?.sortKey.key ?? SortKeyPaths.shared.key(of: keyPath)
  }

  /// The selector that compares two values; nil for a comparator block.
  public var selector: Selector? {
    guard let descriptor = self as? KeySortDescriptor else {
      return sortKey?.selector.map { Selector($0) }
    }
    return descriptor.sortKey.selector.map { Selector($0) }
  }

  /// The sort as a value; nil for one that compares by a block or reads a Swift key path of something else
  /// than managed properties, which no archive and no store can hold.
  public var sortKey: SortKey? {
    guard let descriptor = self as? KeySortDescriptor else {
      return SortKeyPaths.shared.key(of: keyPath).map { SortKey($0, ascending: ascending) }
    }
    guard !descriptor.hasComparator else { return nil }
    // The class's own property: by its optional type this one would be meant.
    let held: SortKey = descriptor.sortKey
    return held
  }

  /// Allows a descriptor that was decoded from an archive to be used. Nothing to do here.
  public func allowEvaluation() {}
}

/// The keys that Swift key paths of sort descriptors stand for.
package final class SortKeyPaths: Sendable {
  package static let shared = SortKeyPaths()

  /// Key paths never change; Swift just doesn't say so of those with arguments.
  private struct Path: Hashable, @unchecked Sendable { let keyPath: AnyKeyPath }

  private let keys = Mutex<[Path: String]>([:])

  /// Makes it known that a sort by this path is one by that key.
  package func insert(_ keyPath: AnyKeyPath, key: String) {
    keys.withLock { $0[Path(keyPath: keyPath)] = key }
  }

  /// The key of a path; nil for one that is its own.
  func key(of keyPath: AnyKeyPath) -> String? {
    keys.withLock { $0.isEmpty ? nil : $0[Path(keyPath: keyPath)] }
  }
}
