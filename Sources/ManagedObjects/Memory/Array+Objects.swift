import Foundation

/// Iteration over many objects without reference counting.
///
/// A loop over an array retains and releases each element, which takes twice as long as the work most passes of a
/// save do for an object. These methods borrow the array's own references.
extension [NSManagedObject] {
  /// Calls `body` with each object, in order.
  @inlinable
  func visit(_ body: (NSManagedObject) throws -> Void) rethrows {
    try visit(indices, body)
  }

  /// Calls `body` with each object in a range, in order.
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

  /// What `body` returns for the object at a position.
  @inline(__always)
  func visit<Result>(at position: Int, _ body: (NSManagedObject) throws -> Result) rethrows
    -> Result
  {
    precondition(position >= 0 && position < count, "a save has no row at \(position)")
    return try withUnsafeBytes { bytes in
      try bytes.bindMemory(to: Unmanaged<NSManagedObject>.self)[position]._withUnsafeGuaranteedRef {
        try body($0)
      }
    }
  }

  /// Calls `body` with the objects at the given positions, in order.
  func visit(_ positions: [Int], _ body: (NSManagedObject) throws -> Void) rethrows {
    try withUnsafeBytes { bytes in
      let references = bytes.bindMemory(to: Unmanaged<NSManagedObject>.self)
      for position in positions {
        precondition(references.indices.contains(position), "a save has no row at \(position)")
        try references[position]._withUnsafeGuaranteedRef { try body($0) }
      }
    }
  }

  /// The objects for which `isKept` returns true; the same array if that is all of them.
  func keeping(_ isKept: (NSManagedObject) -> Bool) -> [NSManagedObject] {
    withUnsafeBytes { bytes in
      bytes.bindMemory(to: Unmanaged<NSManagedObject>.self).allSatisfy {
        $0._withUnsafeGuaranteedRef { isKept($0) }
      }
    } ? self : filter(isKept)
  }

  /// The range from `start` to the first object for which `isAlike` returns false.
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

  /// Whether both arrays hold the same objects in the same order, compared by reference.
  func isSame(as other: [NSManagedObject]) -> Bool {
    guard count == other.count else { return false }
    return withUnsafeBytes { own in
      other.withUnsafeBytes { other in
        own.bindMemory(to: UInt.self).elementsEqual(other.bindMemory(to: UInt.self))
      }
    }
  }

  /// The objects as an array of another type; nil if one isn't of that type. Adjacent objects are mostly of the same
  /// class, and casting each of them would cost more than fetching them.
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
  /// A set of objects that are known to be distinct.
  ///
  /// A plain `NSSet`: Foundation outside Apple's systems bridges a subclass, which could defer the hashing, to an
  /// empty `Set` when a program casts it.
  static func unique(_ objects: [some NSObject]) -> NSSet {
    objects.withUnsafeBytes { bytes in
      let references = bytes.bindMemory(to: AnyObject.self)
      return NSSet(objects: references.baseAddress, count: references.count)
    }
  }
}
