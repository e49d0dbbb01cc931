import Foundation

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
        precondition(references.indices.contains(position), "a save has no row at \(position)")
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

  /// Whether another list is of the same objects in the same order: the references are the same bytes.
  func isSame(as other: [NSManagedObject]) -> Bool {
    guard count == other.count else { return false }
    return withUnsafeBytes { own in
      other.withUnsafeBytes { other in
        own.bindMemory(to: UInt.self).elementsEqual(other.bindMemory(to: UInt.self))
      }
    }
  }

  /// The objects as those of a class; nil when one isn't. Neighbours mostly are of one class, so
  /// asking each of them through a cast would cost more than fetching them.
  func typed<Result>(as type: Result.Type) -> [Result]? {
    var last: NSManagedObject.Type?
    let isTyped = withUnsafeBytes { bytes in
      bytes.bindMemory(to: Unmanaged<NSManagedObject>.self).allSatisfy { reference in
        reference._withUnsafeGuaranteedRef { object in
          if Swift.type(of: object) == last { return true }
          last = Swift.type(of: object)
          return object is Result
        }
      }
    }
    return isTyped ? unsafeBitCast(self, to: [Result].self) : nil
  }
}

extension NSSet {
  /// A set of objects that are known to be different.
  ///
  /// A plain `NSSet`: one of a class of our own, which could put the hashing off, would become an
  /// empty `Set` when a program casts it, in Foundation outside Apple's systems.
  static func unique(_ objects: [some NSObject]) -> NSSet {
    objects.withUnsafeBytes { bytes in
      let references = bytes.bindMemory(to: AnyObject.self)
      return NSSet(objects: references.baseAddress, count: references.count)
    }
  }
}
