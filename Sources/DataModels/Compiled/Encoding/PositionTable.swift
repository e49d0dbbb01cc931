/// Where each of a row of objects stands, found by the object's identity.
///
/// What a dictionary does, at a quarter of its cost: an address needs no hashing against collisions
/// made on purpose.
struct PositionTable {
  private struct Slot {
    var id: ObjectIdentifier?
    var position: Int
  }

  private var slots: [Slot]
  private let mask: Int

  /// Makes the table of a row of objects.
  ///
  /// - Parameter isCounted: Which of the places count, when objects are in the row several times: one
  ///   for each object. Default: all, each object being there once.
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

  /// Where an object stands; `nil` when it is not in the row.
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
