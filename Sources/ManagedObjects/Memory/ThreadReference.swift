#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The thread that asks.
enum CurrentThread {
  /// A number that no other thread has meanwhile.
  @inline(__always)
  static var number: UInt { withUnsafeBytes(of: pthread_self()) { $0.load(as: UInt.self) } }
}

/// A reference of which each thread has its own, and keeps until it ends.
struct ThreadReference<Object: AnyObject>: Sendable {
  private let key: pthread_key_t

  init() {
    var key = pthread_key_t()
    pthread_key_create(&key) { kept in
      let kept: UnsafeMutableRawPointer? = kept
      if let kept { Unmanaged<AnyObject>.fromOpaque(kept).release() }
    }
    self.key = key
  }

  /// The current thread's object.
  var object: Object? {
    get { pthread_getspecific(key).map { Unmanaged.fromOpaque($0).takeUnretainedValue() } }
    nonmutating set {
      let before = pthread_getspecific(key)
      pthread_setspecific(
        key, newValue.map { UnsafeRawPointer(Unmanaged.passRetained($0).toOpaque()) })
      if let before { Unmanaged<AnyObject>.fromOpaque(before).release() }
    }
  }
}
