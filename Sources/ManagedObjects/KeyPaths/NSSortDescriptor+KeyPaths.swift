import Foundation
import PredicateFormat

extension NSSortDescriptor {
  /// A sort by a property of managed objects, optional or not; a store sorts by it itself.
  ///
  /// ```swift
  /// request.sortDescriptors = [NSSortDescriptor(keyPath: \Item.timestamp, ascending: false)]
  /// ```
  ///
  /// The descriptor has the property's `key`. Where the key path is of no managed property, objects are
  /// sorted in memory by the values it reads; nil comes first.
  public convenience init<Root: NSManagedObject, Value>(
    keyPath: KeyPath<Root, Value>, ascending: Bool
  ) {
    let order = ValueOrder(selector: "compare:")
    let comparator: Comparator = {
      order.compare(PredicateValue(reading: $0), PredicateValue(reading: $1))
    }
    guard let key = KeyPathNames.name(of: keyPath) else {
      self.init(keyPath: keyPath, ascending: ascending, comparator: comparator)
      return
    }
    // Foundation's initializer makes the object, so its key path has to say which key is meant.
    let path: KeyPath<NSManagedObject, Any> = \.[sortedBy: key]
    SortKeyPaths.shared.insert(path, key: key)
    self.init(keyPath: path, ascending: ascending, comparator: comparator)
  }

  /// A sort by a property of managed objects; a store sorts by it itself.
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
  /// The value at the end of a path of names, as sorting wants it.
  fileprivate final subscript(sortedBy keyPath: String) -> Any {
    value(forKeyPath: keyPath) ?? NSNull()
  }
}
