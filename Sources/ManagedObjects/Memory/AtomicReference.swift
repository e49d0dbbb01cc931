import Synchronization

/// An owning reference to an object that any thread may read and set.
struct AtomicReference<Object: AnyObject>: ~Copyable, @unchecked Sendable {
  // Sendable: a word that is read and changed atomically. A thread that reads while ``take()`` removes the object
  // must hold its own reference.

  private let bits = Atomic<UInt>(0)

  init() {}

  /// The object, if one has been set.
  @inline(__always)
  var object: Object? { Self.object(bits.load(ordering: .acquiring)) }

  /// Sets the object unless one is set already; the first caller wins.
  ///
  /// - Returns: the object that is now set.
  func setOnce(_ object: Object) -> Object {
    isClosed = false
    let new = UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())
    let (isFirst, present) = bits.compareExchange(
      expected: 0, desired: new, ordering: .acquiringAndReleasing)
    guard !isFirst, let present = Self.object(present) else { return object }
    Unmanaged.passUnretained(object).release()
    return present
  }

  /// The bit pattern that marks the reference as closed.
  private static var closed: UInt { 1 }

  /// Whether the reference is empty and closed. Setting an object reopens it.
  var isClosed: Bool {
    get { bits.load(ordering: .acquiring) == Self.closed }
    nonmutating set {
      _ = bits.compareExchange(
        expected: newValue ? 0 : Self.closed, desired: newValue ? Self.closed : 0,
        ordering: .acquiringAndReleasing)
    }
  }

  /// Whether there is an object.
  var isSet: Bool { bits.load(ordering: .acquiring) > Self.closed }

  /// Removes the object and returns it.
  func take() -> Object? {
    let before = bits.exchange(0, ordering: .acquiringAndReleasing)
    guard before != Self.closed else { return nil }
    return UnsafeRawPointer(bitPattern: before)
      .map { Unmanaged<Object>.fromOpaque($0).takeRetainedValue() }
  }

  @inline(__always)
  private static func object(_ bits: UInt) -> Object? {
    guard bits != closed else { return nil }
    return UnsafeRawPointer(bitPattern: bits)
      .map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
  }

  deinit {
    let last = bits.load(ordering: .acquiring)
    guard last != Self.closed, let known = UnsafeRawPointer(bitPattern: last) else { return }
    Unmanaged<Object>.fromOpaque(known).release()
  }
}
