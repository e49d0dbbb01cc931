import Foundation

/// An ordered list of distinct objects with fast lookup and removal.
struct ObjectList {
  /// The objects, in insertion order.
  private(set) var objects: [NSManagedObject] = []
  /// The position of each object; built on the first lookup in a long list.
  ///
  /// Changes in the middle of the list don't update the positions behind them, which would cost more than the change.
  /// Membership is therefore always exact, positions only before ``settled``.
  private var positions: [ObjectIdentifier: Int]?
  /// The number of objects at the front whose ``positions`` are exact.
  private var settled = 0

  private static let shortLength = 8

  init() {}

  /// Creates a list of objects that are known to be distinct.
  init(unique objects: [NSManagedObject]) { self.objects = objects }

  var isEmpty: Bool { objects.isEmpty }
  var count: Int { objects.count }

  mutating func contains(_ object: NSManagedObject) -> Bool {
    if objects.count <= Self.shortLength { return objects.contains { $0 === object } }
    return place(of: object) != nil
  }

  mutating func position(of object: NSManagedObject) -> Int? {
    if objects.count <= Self.shortLength { return objects.firstIndex { $0 === object } }
    guard let place = place(of: object) else { return nil }
    return place < settled ? place : objects[settled...].firstIndex { $0 === object }
  }

  /// The recorded position of an object, which may be stale; nil if it isn't in the list.
  private mutating func place(of object: NSManagedObject) -> Int? {
    if positions == nil {
      positions = Dictionary(
        objects.enumerated().map { (ObjectIdentifier($1), $0) },
        uniquingKeysWith: { first, _ in first })
      settled = objects.count
    }
    return positions?[ObjectIdentifier(object)]
  }

  /// Appends an object that isn't in the list.
  mutating func appendNew(_ object: NSManagedObject) {
    if positions != nil {
      positions?[ObjectIdentifier(object)] = objects.count
      if settled == objects.count { settled += 1 }
    }
    objects.append(object)
  }

  /// Appends an object unless it is in the list; returns whether it did.
  @discardableResult
  mutating func append(_ object: NSManagedObject) -> Bool {
    guard !contains(object) else { return false }
    appendNew(object)
    return true
  }

  /// Inserts an object at an index unless it is in the list; returns whether it did.
  mutating func insert(_ object: NSManagedObject, at index: Int) -> Bool {
    if index == objects.count { return append(object) }
    guard !contains(object) else { return false }
    objects.insert(object, at: index)
    positions?[ObjectIdentifier(object)] = index
    settled = min(settled, index)
    return true
  }

  /// Removes an object; returns whether it was in the list.
  ///
  /// - Parameter keepsOrder: if false, the last object takes the free position.
  @discardableResult
  mutating func remove(_ object: NSManagedObject, keepsOrder: Bool = true) -> Bool {
    guard let position = position(of: object) else { return false }
    positions?[ObjectIdentifier(object)] = nil
    if position == objects.count - 1 {
      objects.removeLast()
    } else if keepsOrder {
      objects.remove(at: position)
      settled = min(settled, position)
    } else {
      let moved = objects.removeLast()
      objects[position] = moved
      if positions != nil { positions?[ObjectIdentifier(moved)] = position }
    }
    settled = min(settled, objects.count)
    return true
  }

  /// Moves objects, keeping their order, so that the first of them comes to an index.
  ///
  /// - Parameters:
  ///   - indexes: their positions.
  ///   - index: the destination, counted without them.
  mutating func move(_ indexes: IndexSet, to index: Int) {
    guard let first = indexes.first else { return }
    let moved = indexes.map { objects[$0] }
    for range in indexes.rangeView.reversed() { objects.removeSubrange(range) }
    objects.insert(contentsOf: moved, at: index)
    settled = min(settled, first, index)
  }
}
