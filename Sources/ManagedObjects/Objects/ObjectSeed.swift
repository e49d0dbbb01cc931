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
  let layout: EntityLayout
  let identity: NSManagedObjectID
  let context: NSManagedObjectContext

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// Makes a fault.
  static func grow(
    _ layout: EntityLayout, identity: NSManagedObjectID, context: NSManagedObjectContext
  ) -> NSManagedObject {
    grow(layout, layout.objectClass, identity: identity, context: context)
  }

  /// Makes a fault of a class that is known.
  static func grow(
    _ layout: EntityLayout, _ type: NSManagedObject.Type, identity: NSManagedObjectID,
    context: NSManagedObjectContext
  ) -> NSManagedObject {
    var seed = ObjectSeed(layout: layout, identity: identity, context: context)
    return withUnsafeMutablePointer(to: &seed) { pointer in
      pthread_setspecific(key, pointer)
      defer { pthread_setspecific(key, nil) }
      return type.init(ManagedObjectOrigin(entity: layout.entity, context: nil))
    }
  }

  /// The seed for the initializer that is running, if one was laid down for it.
  static func take() -> ObjectSeed? {
    guard let pointer = pthread_getspecific(key) else { return nil }
    // Taken once: objects that an overriding initializer makes are new ones.
    pthread_setspecific(key, nil)
    return pointer.assumingMemoryBound(to: ObjectSeed.self).pointee
  }
}
