#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What an object of the store is made from.
///
/// The initializer that subclasses may override takes an entity and a context, and inserts. An
/// object for a row that is there must go through the same initializer without being inserted, so
/// what it is made from is handed over beside the arguments, on the same thread.
struct ObjectSeed {
  // The caller of `grow` keeps all three.
  let layout: Unmanaged<EntityLayout>
  let context: Unmanaged<NSManagedObjectContext>
  let store: Unmanaged<StoreReference>?
  var key: Int64

  /// Where a thread's seed lies, until it is taken.
  private typealias Bed = UnsafeMutablePointer<ObjectSeed?>

  private static let bedKey: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { bed in
      let bed: UnsafeMutableRawPointer? = bed
      guard let bed else { return }
      bed.assumingMemoryBound(to: ObjectSeed?.self).deinitialize(count: 1)
      bed.deallocate()
    }
    return key
  }()

  @inline(__always)
  private static func bed() -> Bed {
    if let bed = pthread_getspecific(bedKey) {
      return bed.assumingMemoryBound(to: ObjectSeed?.self)
    }
    return makeBed()
  }

  @inline(never)
  private static func makeBed() -> Bed {
    let bed = Bed.allocate(capacity: 1)
    bed.initialize(to: nil)
    pthread_setspecific(bedKey, bed)
    return bed
  }

  /// Makes a fault.
  static func grow(
    _ layout: EntityLayout, identity: NSManagedObjectID, context: NSManagedObjectContext
  ) -> NSManagedObject {
    let seed = ObjectSeed(
      layout: .passUnretained(layout), context: .passUnretained(context),
      store: identity.storeReference.map { .passUnretained($0) }, key: identity.key)
    let object = seed.grow(layout, layout.objectClass)
    if identity.layout === layout { object.takeIdentity(identity) }
    return object
  }

  /// Makes a fault of a class that is known; `layout` is the seed's.
  @inline(__always)
  func grow(_ layout: EntityLayout, _ type: NSManagedObject.Type) -> NSManagedObject {
    Self.bed().pointee = self
    return type.init(ManagedObjectOrigin(layout: layout, context: nil))
  }

  /// The seed for the initializer that is running, if one was laid down for it.
  @inline(__always)
  static func take() -> ObjectSeed? {
    let bed = Self.bed()
    // Taken once: objects that an overriding initializer makes are new ones.
    defer { bed.pointee = nil }
    return bed.pointee
  }
}
