#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A thread-local reference. Each thread retains its own object until it ends.
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
