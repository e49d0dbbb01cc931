import Foundation
import PredicateFormat

extension SortDescribing where Self: NSSortDescriptor {
  /// Creates a sort descriptor from a Swift `SortDescriptor`, which stores can evaluate.
  ///
  /// ```swift
  /// request.sortDescriptors = [NSSortDescriptor(SortDescriptor(\Person.name, order: .reverse))]
  /// ```
  ///
  /// Strings are compared lexically: outside Apple's systems, Foundation has no other comparator for a
  /// `SortDescriptor` than `.lexical`. If the key path isn't a managed property, objects are sorted in memory by the
  /// descriptor itself.
  public init<Compared>(_ sortDescriptor: SortDescriptor<Compared>) {
    guard let path = sortDescriptor.keyPath, let key = KeyPathNames.name(of: path) else {
      self.init(key: nil, ascending: true) { left, right in
        guard let left = left as? Compared, let right = right as? Compared else {
          return .orderedSame
        }
        return sortDescriptor.compare(left, right)
      }
      return
    }
    self.init(key: key, ascending: sortDescriptor.order == .forward)
  }
}
