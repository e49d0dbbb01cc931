import Foundation
import PredicateFormat

extension NSSortDescriptor {
  /// Creates a sort descriptor for a property of managed objects, optional or not, which stores can evaluate.
  ///
  /// ```swift
  /// request.sortDescriptors = [NSSortDescriptor(keyPath: \Item.timestamp, ascending: false)]
  /// ```
  ///
  /// The descriptor has the property's `key`. If the key path isn't a managed property, objects are sorted in memory
  /// by the values it returns; nil comes first. As in Foundation on Apple's systems, the root may be any type: the
  /// generic code of a program may know no more of it than that it is `NSFetchRequestResult`.
  public convenience init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
    let order = ValueOrder(selector: "compare:")
    let comparator: Comparator = {
      order.compare(PredicateValue(reading: $0), PredicateValue(reading: $1))
    }
    guard Root.self is NSManagedObject.Type, let key = KeyPathNames.name(of: keyPath) else {
      self.init(keyPath: keyPath, ascending: ascending, comparator: comparator)
      return
    }
    // Foundation's initializer creates the object, so its key path has to identify the key.
    let path: KeyPath<NSManagedObject, Any> = \.[sortedBy: key]
    SortKeyPaths.shared.insert(path, key: key)
    self.init(keyPath: path, ascending: ascending, comparator: comparator)
  }

  /// Creates a sort descriptor for a property of managed objects, which stores can evaluate.
  public convenience init<Root: NSManagedObject, Value: Comparable>(
    keyPath: KeyPath<Root, Value>, ascending: Bool
  ) {
    self.init(anyKeyPath: keyPath, ascending: ascending)
  }

  private convenience init<Root: NSManagedObject, Value>(
    anyKeyPath keyPath: KeyPath<Root, Value>, ascending: Bool
  ) {
    self.init(keyPath: keyPath, ascending: ascending)
  }
}

extension NSManagedObject {
  /// The value at the end of a key path, in the form needed for sorting.
  fileprivate final subscript(sortedBy keyPath: String) -> Any {
    value(forKeyPath: keyPath) ?? NSNull()
  }
}

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
