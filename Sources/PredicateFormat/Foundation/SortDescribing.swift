import Foundation
import Synchronization

/// Provides the methods that `NSSortDescriptor` lacks on Linux. As members of a protocol extension, they take
/// precedence over those that Foundation marks as unavailable there. Don't adopt this protocol.
public protocol SortDescribing {}

extension NSSortDescriptor: SortDescribing {}

extension SortDescribing {
  /// Creates a sort by a key path.
  ///
  /// ```swift
  /// request.sortDescriptors = [NSSortDescriptor(key: "lastName", ascending: true)]
  /// ```
  public init(key: String?, ascending: Bool) {
    self.init(SortKey(key, ascending: ascending))
  }

  /// Creates a sort by a key path, using a selector such as `.caseInsensitiveCompare`.
  public init(key: String?, ascending: Bool, selector: Selector?) {
    self.init(SortKey(key, ascending: ascending, selector: selector?.name))
  }

  /// Creates a sort by a key path, using a closure. Arrays support it, but stores don't.
  public init(key: String?, ascending: Bool, comparator: @escaping Comparator) {
    self.init(
      adopting: KeySortDescriptor(
        sorting: SortKey(key, ascending: ascending, selector: nil), comparator: comparator))
  }

  /// Creates a sort from a sort key.
  public init(_ sortKey: SortKey) { self.init(adopting: KeySortDescriptor(sorting: sortKey)) }

  private init(adopting descriptor: NSSortDescriptor) {
    guard let adopted = descriptor as? Self else {
      preconditionFailure("\(Self.self)(key:ascending:): use NSSortDescriptor")
    }
    self = adopted
  }
}

extension SortDescribing where Self: NSSortDescriptor {
  /// The key path; nil for a descriptor without one, or with a Swift key path that doesn't refer to a managed object's
  /// property.
  public var key: String? {
    (self as? KeySortDescriptor)?.sortKey.key ?? SortKeyPaths.shared.key(of: keyPath)
  }

  /// The selector of the comparison method; nil for a comparator closure.
  public var selector: Selector? {
    guard let descriptor = self as? KeySortDescriptor else {
      return sortKey?.selector.map { Selector($0) }
    }
    return descriptor.sortKey.selector.map { Selector($0) }
  }

  /// The sort as a value; nil for a sort by a closure, or by a Swift key path of something other than managed
  /// properties, which archives and stores don't support.
  public var sortKey: SortKey? {
    guard let descriptor = self as? KeySortDescriptor else {
      return SortKeyPaths.shared.key(of: keyPath).map { SortKey($0, ascending: ascending) }
    }
    guard !descriptor.hasComparator else { return nil }
    // The explicit type selects the class's own property rather than this one, which is optional.
    let held: SortKey = descriptor.sortKey
    return held
  }

  /// The order of two objects by their values of the key, such as those that are computed for dictionaries.
  package func order(_ left: PredicateValue, _ right: PredicateValue) -> ComparisonResult {
    if let descriptor = self as? KeySortDescriptor { return descriptor.order(left, right) }
    let order = ValueOrder(selector: sortKey?.selector ?? "compare:").compare(left, right)
    return ascending ? order : order.reversed
  }

  /// Allows a descriptor decoded from an archive to be used. Has no effect here.
  public func allowEvaluation() {}
}

/// The keys that correspond to the Swift key paths of sort descriptors.
package final class SortKeyPaths: Sendable {
  package static let shared = SortKeyPaths()

  /// Sendable: key paths are immutable, although Swift doesn't declare those with arguments as Sendable.
  private struct Path: Hashable, @unchecked Sendable { let keyPath: AnyKeyPath }

  private let keys = Mutex<[Path: String]>([:])

  /// Registers the key that corresponds to a key path.
  package func insert(_ keyPath: AnyKeyPath, key: String) {
    keys.withLock { $0[Path(keyPath: keyPath)] = key }
  }

  /// The key for a key path; nil if none is registered.
  func key(of keyPath: AnyKeyPath) -> String? {
    keys.withLock { $0.isEmpty ? nil : $0[Path(keyPath: keyPath)] }
  }
}
