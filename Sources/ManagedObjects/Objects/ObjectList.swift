/// Objects without repetition, found and taken out quickly.
struct ObjectList {
  /// The objects, in the order they came.
  private(set) var objects: [NSManagedObject] = []
  /// Where each object is: made when a list that is long enough is first asked.
  private var positions: [ObjectIdentifier: Int]?

  private static let shortLength = 8

  init() {}

  /// Takes objects that are known to be different.
  init(unique objects: [NSManagedObject]) { self.objects = objects }

  var isEmpty: Bool { objects.isEmpty }
  var count: Int { objects.count }

  mutating func contains(_ object: NSManagedObject) -> Bool { position(of: object) != nil }

  mutating func position(of object: NSManagedObject) -> Int? {
    if objects.count <= Self.shortLength { return objects.firstIndex { $0 === object } }
    if positions == nil {
      positions = Dictionary(
        objects.enumerated().map { (ObjectIdentifier($1), $0) },
        uniquingKeysWith: { first, _ in first })
    }
    return positions?[ObjectIdentifier(object)]
  }

  /// Adds an object that isn't there, at the end.
  mutating func appendNew(_ object: NSManagedObject) {
    positions?[ObjectIdentifier(object)] = objects.count
    objects.append(object)
  }

  /// Adds an object at the end, unless it is there; tells whether it did.
  @discardableResult
  mutating func append(_ object: NSManagedObject) -> Bool {
    guard !contains(object) else { return false }
    appendNew(object)
    return true
  }

  /// Takes an object out; tells whether it was there.
  ///
  /// - Parameter keepsOrder: if not, the last object takes the free place, which costs the same for
  ///   any length.
  @discardableResult
  mutating func remove(_ object: NSManagedObject, keepsOrder: Bool = true) -> Bool {
    guard let position = position(of: object) else { return false }
    let last = objects.count - 1
    if position == last {
      objects.removeLast()
      positions?[ObjectIdentifier(object)] = nil
    } else if keepsOrder {
      objects.remove(at: position)
      positions = nil
    } else {
      let moved = objects.removeLast()
      objects[position] = moved
      positions?[ObjectIdentifier(object)] = nil
      if positions != nil { positions?[ObjectIdentifier(moved)] = position }
    }
    return true
  }
}
