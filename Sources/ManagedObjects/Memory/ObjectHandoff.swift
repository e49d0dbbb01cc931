import DataModels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The data an object is made from, handed over to its initializer.
///
/// The initializer that subclasses may override takes an entity and a context, and inserts the object. An object for
/// an existing row must go through the same initializer without being inserted, so its data is passed beside the
/// arguments, in thread-local memory. For a new object this saves repeated lookups.
struct ObjectHandoff {
  // Unretained: the caller keeps all three alive during the hand-over.
  let layout: Unmanaged<EntityLayout>
  let context: Unmanaged<NSManagedObjectContext>
  let store: Unmanaged<StoreReference>?
  /// Whether the object is to be inserted and assigned a new key.
  let isNew: Bool
  var key: Int64

  /// The data for a fault.
  init(
    _ layout: EntityLayout, in context: NSManagedObjectContext, _ store: StoreReference?, key: Int64
  ) {
    self.layout = .passUnretained(layout)
    self.context = .passUnretained(context)
    self.store = store.map { .passUnretained($0) }
    self.key = key
    isNew = false
  }

  /// The data for a new object.
  @inline(__always)
  init(new layout: EntityLayout, in context: NSManagedObjectContext) {
    self.layout = .passUnretained(layout)
    self.context = .passUnretained(context)
    (store, key, isNew) = (nil, 0, true)
  }

  /// Makes a fault.
  static func makeFault(
    of layout: EntityLayout, identity: NSManagedObjectID, in context: NSManagedObjectContext
  ) -> NSManagedObject {
    let handoff = ObjectHandoff(layout, in: context, identity.storeReference, key: identity.key)
    let object = handoff.makeFault(of: layout, context.objectClass(of: layout), at: place())
    if identity.layout === layout { object.takeIdentity(identity) }
    return object
  }

  /// Makes a fault of a known class. `layout` must be the hand-over's own layout, and `place` the current thread's.
  @inline(__always)
  func makeFault(
    of layout: EntityLayout, _ type: NSManagedObject.Type, at place: Place
  ) -> NSManagedObject {
    let pending = Self.begin(self, at: place)
    defer { pending.end() }
    return type.init(ManagedObjectOrigin(layout, context: nil))
  }

  /// Makes a new object, and inserts it into the context if there is one.
  static func makeObject(
    of layout: EntityLayout, in context: NSManagedObjectContext?
  ) -> NSManagedObject {
    let handoff = context.map { ObjectHandoff(new: layout, in: $0) }
    // Without a context nothing is handed over: data that is already there belongs to another object, whose
    // initializer is running.
    let pending = begin(handoff, at: place())
    defer { pending.end() }
    let objectClass = context?.objectClass(of: layout) ?? layout.objectClass
    return objectClass.init(ManagedObjectOrigin(layout, context: context))
  }

  // MARK: Handing over

  /// The thread-local slot that holds the data until it is claimed.
  typealias Place = UnsafeMutablePointer<ObjectHandoff?>

  /// A hand-over in progress, and the previous content of the slot: a client's initializer may itself make and fetch
  /// objects.
  struct Pending {
    fileprivate let place: Place
    fileprivate let outer: ObjectHandoff?

    /// Restores the previous content. Call it once the object is made.
    @inline(__always)
    func end() { place.pointee = outer }
  }

  /// Hands over the data for the new object whose initializer is called next.
  @inline(__always)
  static func begin(new layout: EntityLayout, in context: NSManagedObjectContext) -> Pending {
    begin(ObjectHandoff(new: layout, in: context), at: place())
  }

  @inline(__always)
  private static func begin(_ handoff: ObjectHandoff?, at place: Place) -> Pending {
    let pending = Pending(place: place, outer: place.pointee)
    place.pointee = handoff
    return pending
  }

  /// Claims the data handed over to the running initializer, if any.
  ///
  /// It is claimed once, and only for the intended entity and context: other objects that an overriding initializer
  /// makes are new. The exception is an object of the same entity that the initializer makes by
  /// `init(entity:insertInto:)` before it calls `super`. It can't be distinguished, because a class may pass on a
  /// different context from the one it was given.
  @inline(__always)
  static func claim(
    for entity: NSEntityDescription, in context: NSManagedObjectContext?
  ) -> ObjectHandoff? {
    let place = place()
    guard let handoff = place.pointee,
      handoff.layout._withUnsafeGuaranteedRef({ $0.entity === entity }),
      !handoff.isNew
        || handoff.context.toOpaque() == context.map({ Unmanaged.passUnretained($0).toOpaque() })
    else { return nil }
    place.pointee = nil
    return handoff
  }

  /// The layout of the object's entity.
  @inline(__always)
  var entityLayout: EntityLayout { layout.takeUnretainedValue() }

  private static let placeKey: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { place in
      let place: UnsafeMutableRawPointer? = place
      guard let place else { return }
      place.assumingMemoryBound(to: ObjectHandoff?.self).deinitialize(count: 1)
      place.deallocate()
    }
    return key
  }()

  /// The current thread's slot.
  @inline(__always)
  static func place() -> Place {
    if let place = pthread_getspecific(placeKey) {
      return place.assumingMemoryBound(to: ObjectHandoff?.self)
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
