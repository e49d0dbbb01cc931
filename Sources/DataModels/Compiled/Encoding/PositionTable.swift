/// The positions of objects in a list, found by identity.
///
/// It does the job of a dictionary at a quarter of the cost, because object addresses need no hashing that resists
/// deliberate collisions.
struct PositionTable {
  private struct Slot {
    var id: ObjectIdentifier?
    var position: Int
  }

  private var slots: [Slot]
  private let mask: Int

  /// Creates a table for a list of objects.
  ///
  /// - Parameter isCounted: If objects occur several times, which of the positions to record: one for each object.
  ///   Default: all, with each object occurring once.
  init<Object: AnyObject>(_ objects: [Object], where isCounted: ((Int) -> Bool)? = nil) {
    var capacity = 16
    while capacity < objects.count * 2 { capacity *= 2 }
    mask = capacity - 1
    slots = Array(repeating: Slot(id: nil, position: 0), count: capacity)
    for (position, object) in objects.enumerated() {
      if let isCounted, !isCounted(position) { continue }
      let id = ObjectIdentifier(object)
      var index = first(of: id)
      while slots[index].id != nil { index = (index + 1) & mask }
      slots[index] = Slot(id: id, position: position)
    }
  }

  @inline(__always)
  private func first(of id: ObjectIdentifier) -> Int {
    let product = UInt64(UInt(bitPattern: id)) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: product >> 32) & mask
  }

  /// The position of an object; `nil` when it is not in the list.
  @inline(__always)
  subscript(object: AnyObject) -> Int? {
    let id = ObjectIdentifier(object)
    var index = first(of: id)
    while let known = slots[index].id {
      if known == id { return slots[index].position }
      index = (index &+ 1) & mask
    }
    return nil
  }
}
