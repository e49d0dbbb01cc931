import Synchronization

/// A reference to an object that any thread may read and set. It keeps the object.
struct AtomicReference<Object: AnyObject>: ~Copyable, @unchecked Sendable {
  // Sendable: a word that is read and changed atomically. Who reads it while ``take()`` takes the object away
  // must have it from elsewhere.

  private let bits = Atomic<UInt>(0)

  init() {}

  /// The object, once there is one.
  @inline(__always)
  var object: Object? { Self.object(bits.load(ordering: .acquiring)) }

  /// Sets the object, unless there is one: the first to be done does.
  ///
  /// - Returns: the object there is now.
  func setOnce(_ object: Object) -> Object {
    isClosed = false
    let new = UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())
    let (isFirst, present) = bits.compareExchange(
      expected: 0, desired: new, ordering: .acquiringAndReleasing)
    guard !isFirst, let present = Self.object(present) else { return object }
    Unmanaged.passUnretained(object).release()
    return present
  }

  /// What stands in the place of an object where there is to be none.
  private static var closed: UInt { 1 }

  /// Whether there is no object and is to be none. Setting one all the same opens it again.
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

  /// Takes the object out, and gives it.
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
