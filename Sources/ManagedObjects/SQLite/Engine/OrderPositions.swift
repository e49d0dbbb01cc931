/// The positions of an ordered relationship's members, as in Core Data: 2048 for the first, 1024 more for each
/// following one. A member that is inserted between two others gets a position between theirs, so a move writes a
/// single row, however many members there are.
@_spi(Engines) public struct OrderPositions {
  /// The position of the first member.
  public static let first: Int64 = 2048
  /// The distance between two positions.
  public static let step: Int64 = 1024
  /// The minimum distance between positions when members are moved to make room.
  private static let room: Int64 = 16

  /// The members' stored positions, in the members' new order; nil for members without one.
  private let present: [Int64?]
  /// The positions of members that other writers have added meanwhile, in order.
  private let others: [Int64]
  /// The new positions.
  private var positions: [Int64?]

  /// Takes the positions that members have in the store, in the members' new order, nil for those without, and those
  /// of members that others added meanwhile.
  public init(_ present: [Int64?], others: [Int64] = []) {
    (self.present, self.others) = (present, others.sorted())
    positions = present
  }

  /// The positions to write, by index in the order.
  public func changes() -> [(place: Int, position: Int64)] {
    var keys = self
    keys.order()
    return keys.positions.enumerated().compactMap { place, position in
      guard let position, position != present[place] else { return nil }
      return (place, position)
    }
  }

  private mutating func order() {
    let kept = longestRise()
    // Most positions must be written anyway.
    guard kept.count * 2 >= present.count(where: { $0 != nil }) else { return begin() }
    var next = kept.startIndex
    for place in positions.indices {
      if next < kept.endIndex, kept[next] == place { next += 1 } else { positions[place] = nil }
    }
    var place = 0
    while place < positions.count {
      guard positions[place] == nil else {
        place += 1
        continue
      }
      var end = place + 1
      while end < positions.count, positions[end] == nil { end += 1 }
      guard fill(place..<end) else { return begin() }
      place = end
    }
  }

  /// Renumbers all members.
  private mutating func begin() {
    let taken = Set(others)
    var position = Self.first
    for place in positions.indices {
      while taken.contains(position) { position += 1 }
      positions[place] = position
      position += Self.step
    }
  }

  /// Assigns positions to adjacent members without one, and to more of their neighbors if there is no room in
  /// between; returns false if there is no room anywhere.
  private mutating func fill(_ run: Range<Int>) -> Bool {
    var (start, end) = (run.lowerBound, run.upperBound)
    var apart: Int64 = 1
    while true {
      let low = start > 0 ? positions[start - 1] ?? 0 : 0
      if end == positions.count { return append(start..<end, after: max(low, others.last ?? 0)) }
      var high = positions[end] ?? 0
      if let other = others.first(where: { $0 > low }), other < high { high = other }
      let count = Int64(end - start)
      let (distance, overflow) = high.subtractingReportingOverflow(low)
      if low >= 0, !overflow, distance / (count + 1) >= apart {
        for place in start..<end {
          positions[place] = low + distance / (count + 1) * Int64(place - start + 1)
        }
        return true
      }
      let more = end - start
      (start, end) = (max(0, start - more), min(positions.count, end + more))
      while end < positions.count, positions[end] == nil { end += 1 }
      apart = Self.room
    }
  }

  /// Assigns positions after a given one to the last members; returns false on overflow.
  private mutating func append(_ run: Range<Int>, after last: Int64) -> Bool {
    var last = run.lowerBound == 0 && last == 0 ? Self.step : last
    for place in run {
      let (next, overflow) = last.addingReportingOverflow(Self.step)
      guard !overflow else { return false }
      (positions[place], last) = (next, next)
    }
    return true
  }

  /// The indexes of a maximum number of members that can keep their positions, in ascending order of positions.
  private func longestRise() -> [Int] {
    // The last index of the best subsequence of each length, and the index before each in the best one that ends with
    // it.
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: present.count)
    for (place, position) in present.enumerated() {
      guard let position, position > 0 else { continue }
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if (present[ends[middle]] ?? 0) < position { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[place] = ends[low - 1] }
      if low == ends.count { ends.append(place) } else { ends[low] = place }
    }
    var rise: [Int] = []
    var place = ends.last ?? -1
    while place >= 0 {
      rise.append(place)
      place = before[place]
    }
    return rise.reversed()
  }
}
