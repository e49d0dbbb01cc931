/// Going through many objects.
///
/// A loop over an array counts a reference to each element up and down again, twice the time of what a
/// save does for most of its objects in most of its passes. These borrow the array's own.
extension [NSManagedObject] {
  /// Hands each object to `body`, in order.
  @inlinable
  func visit(_ body: (NSManagedObject) throws -> Void) rethrows {
    try visit(indices, body)
  }

  /// Hands the objects in a range to `body`, in order.
  @inlinable
  func visit(
    _ range: Range<Int>, _ body: (NSManagedObject) throws -> Void
  ) rethrows {
    try withUnsafeBytes { bytes in
      for reference in bytes.bindMemory(to: Unmanaged<NSManagedObject>.self)[range] {
        try reference._withUnsafeGuaranteedRef { try body($0) }
      }
    }
  }

  /// Hands the objects at some positions to `body`, in order.
  func visit(_ positions: [Int], _ body: (NSManagedObject) throws -> Void) rethrows {
    try withUnsafeBytes { bytes in
      let references = bytes.bindMemory(to: Unmanaged<NSManagedObject>.self)
      for position in positions {
        try references[position]._withUnsafeGuaranteedRef { try body($0) }
      }
    }
  }

  /// The objects that `isKept` allows: the same array, if that is all of them.
  func keeping(_ isKept: (NSManagedObject) -> Bool) -> [NSManagedObject] {
    withUnsafeBytes { bytes in
      bytes.bindMemory(to: Unmanaged<NSManagedObject>.self).allSatisfy {
        $0._withUnsafeGuaranteedRef { isKept($0) }
      }
    } ? self : filter(isKept)
  }

  /// The object at `start` and those after it for as long as they are `alike`.
  @inlinable
  func run(
    from start: Int, while isAlike: (NSManagedObject) throws -> Bool
  ) rethrows -> Range<Int> {
    try withUnsafeBytes { bytes in
      let references = bytes.bindMemory(to: Unmanaged<NSManagedObject>.self)
      var end = start + 1
      while end < references.count,
        try references[end]._withUnsafeGuaranteedRef({ try isAlike($0) })
      {
        end += 1
      }
      return start..<end
    }
  }
}
