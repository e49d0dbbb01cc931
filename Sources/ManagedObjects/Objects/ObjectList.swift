import Foundation

/// Objects without repetition, found and taken out quickly.
struct ObjectList {
  /// The objects, in the order they came.
  private(set) var objects: [NSManagedObject] = []
  /// Where each object is: made when a list that is long enough is first asked.
  ///
  /// Changes in the middle of a list leave the places behind them as they were, for putting all of them
  /// right costs more than the change: who is there is always known, where only before ``settled``.
  private var positions: [ObjectIdentifier: Int]?
  /// How many objects at the front are where ``positions`` says; the others are behind them.
  private var settled = 0

  private static let shortLength = 8

  init() {}

  /// Takes objects that are known to be different.
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

  /// Where an object is or was; nil when it isn't there.
  private mutating func place(of object: NSManagedObject) -> Int? {
    if positions == nil {
      positions = Dictionary(
        objects.enumerated().map { (ObjectIdentifier($1), $0) },
        uniquingKeysWith: { first, _ in first })
      settled = objects.count
    }
    return positions?[ObjectIdentifier(object)]
  }

  /// Adds an object that isn't there, at the end.
  mutating func appendNew(_ object: NSManagedObject) {
    if positions != nil {
      positions?[ObjectIdentifier(object)] = objects.count
      if settled == objects.count { settled += 1 }
    }
    objects.append(object)
  }

  /// Adds an object at the end, unless it is there; tells whether it did.
  @discardableResult
  mutating func append(_ object: NSManagedObject) -> Bool {
    guard !contains(object) else { return false }
    appendNew(object)
    return true
  }

  /// Adds an object at a place, unless it is there; tells whether it did.
  mutating func insert(_ object: NSManagedObject, at index: Int) -> Bool {
    if index == objects.count { return append(object) }
    guard !contains(object) else { return false }
    objects.insert(object, at: index)
    positions?[ObjectIdentifier(object)] = index
    settled = min(settled, index)
    return true
  }

  /// Takes an object out; tells whether it was there.
  ///
  /// - Parameter keepsOrder: if not, the last object takes the free place.
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

  /// Moves objects, in their order, so that the first of them comes to a place.
  ///
  /// - Parameters:
  ///   - indexes: where they are.
  ///   - index: the place, counted without them.
  mutating func move(_ indexes: IndexSet, to index: Int) {
    guard let first = indexes.first else { return }
    let moved = indexes.map { objects[$0] }
    for range in indexes.rangeView.reversed() { objects.removeSubrange(range) }
    objects.insert(contentsOf: moved, at: index)
    settled = min(settled, first, index)
  }
}
