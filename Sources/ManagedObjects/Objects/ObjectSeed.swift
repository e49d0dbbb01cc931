import DataModels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What an object is made from.
///
/// The initializer that subclasses may override takes an entity and a context, and inserts. An
/// object for a row that is there must go through the same initializer without being inserted, so
/// what it is made from is handed over beside the arguments, on the same thread. A new one is spared
/// looking for what is known already.
struct ObjectSeed {
  // Whoever lays down a seed keeps all three.
  let layout: Unmanaged<EntityLayout>
  let context: Unmanaged<NSManagedObjectContext>
  let store: Unmanaged<StoreReference>?
  /// Whether the object is to be inserted, and gets its key itself.
  let isNew: Bool
  var key: Int64

  /// What a fault is made from.
  init(
    _ layout: EntityLayout, in context: NSManagedObjectContext, _ store: StoreReference?, key: Int64
  ) {
    self.layout = .passUnretained(layout)
    self.context = .passUnretained(context)
    self.store = store.map { .passUnretained($0) }
    self.key = key
    isNew = false
  }

  /// What a new object is made from.
  @inline(__always)
  init(new layout: Unmanaged<EntityLayout>, in context: NSManagedObjectContext) {
    self.layout = layout
    self.context = .passUnretained(context)
    (store, key, isNew) = (nil, 0, true)
  }

  /// Makes a fault.
  static func grow(
    _ layout: EntityLayout, identity: NSManagedObjectID, context: NSManagedObjectContext
  ) -> NSManagedObject {
    let seed = ObjectSeed(layout, in: context, identity.storeReference, key: identity.key)
    let object = seed.grow(layout, layout.objectClass, at: place())
    if identity.layout === layout { object.takeIdentity(identity) }
    return object
  }

  /// Makes a fault of a class that is known; `layout` is the seed's, `place` this thread's.
  @inline(__always)
  func grow(
    _ layout: EntityLayout, _ type: NSManagedObject.Type, at place: Place
  ) -> NSManagedObject {
    let bed = Self.lay(self, at: place)
    defer { bed.clear() }
    return type.init(ManagedObjectOrigin(layout, context: nil))
  }

  /// Makes a new object, and inserts it into the context if there is one.
  static func growNew(
    _ layout: EntityLayout, in context: NSManagedObjectContext?
  ) -> NSManagedObject {
    let seed = context.map { ObjectSeed(new: .passUnretained(layout), in: $0) }
    // Without a context there is none: what lies there is another object's, whose initializer is running.
    let bed = lay(seed, at: place())
    defer { bed.clear() }
    return layout.objectClass.init(ManagedObjectOrigin(layout, context: context))
  }

  // MARK: Handing over

  /// Where a thread's seed lies until it is taken.
  typealias Place = UnsafeMutablePointer<ObjectSeed?>

  /// A place with a seed, and what lay there before: an initializer of the program's may make and fetch
  /// objects itself.
  struct Bed {
    fileprivate let place: Place
    fileprivate let outer: ObjectSeed?

    /// To be called when the object is made.
    @inline(__always)
    func clear() { place.pointee = outer }
  }

  /// Lays the seed down for the initializer that is called next.
  @inline(__always)
  func lay() -> Bed { Self.lay(self, at: Self.place()) }

  @inline(__always)
  private static func lay(_ seed: ObjectSeed?, at place: Place) -> Bed {
    let bed = Bed(place: place, outer: place.pointee)
    place.pointee = seed
    return bed
  }

  /// The seed for the initializer that is running, if one was laid down for it.
  ///
  /// Taken once, and for what it was laid down: other objects that an overriding initializer makes are new
  /// ones. Only what it makes by `init(entity:insertInto:)` of its own entity, before it calls `super`,
  /// can't be told apart: classes may hand on another context than they were given.
  @inline(__always)
  static func take(
    for entity: NSEntityDescription, in context: NSManagedObjectContext?
  ) -> ObjectSeed? {
    let place = place()
    guard let seed = place.pointee,
      seed.layout._withUnsafeGuaranteedRef({ $0.entity === entity }),
      !seed.isNew
        || seed.context.toOpaque() == context.map({ Unmanaged.passUnretained($0).toOpaque() })
    else { return nil }
    place.pointee = nil
    return seed
  }

  private static let placeKey: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { place in
      let place: UnsafeMutableRawPointer? = place
      guard let place else { return }
      place.assumingMemoryBound(to: ObjectSeed?.self).deinitialize(count: 1)
      place.deallocate()
    }
    return key
  }()

  /// This thread's place.
  @inline(__always)
  static func place() -> Place {
    if let place = pthread_getspecific(placeKey) {
      return place.assumingMemoryBound(to: ObjectSeed?.self)
    }
    return makePlace()
  }

  @inline(never)
  private static func makePlace() -> Place {
    let place = Place.allocate(capacity: 1)
    place.initialize(to: nil)
    pthread_setspecific(placeKey, place)
    return place
  }
}
