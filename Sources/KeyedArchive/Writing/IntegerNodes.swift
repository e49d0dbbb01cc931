/// The nodes of integers, of which the small ones are used all the time.
struct IntegerNodes {
  private var small = [Int32](repeating: -1, count: 256)
  private var others: [Int: Int] = [:]

  subscript(value: Int) -> Int? {
    get {
      guard value >= 0 && value < small.count else { return others[value] }
      return small[value] < 0 ? nil : Int(small[value])
    }
    set {
      if value >= 0 && value < small.count {
        small[value] = Int32(truncatingIfNeeded: newValue ?? -1)
      } else {
        others[value] = newValue
      }
    }
  }
}
