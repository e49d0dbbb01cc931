import DataModels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What an object is made from, handed over to its initializer.
///
/// The initializer that subclasses may override takes an entity and a context, and inserts. An object for a row that
/// is there must go through the same initializer without being inserted, so what it is made from is handed over beside
/// the arguments, in memory of the thread's own. A new one is spared looking for what is known already.
struct ObjectHandoff {
  // Whoever hands this over keeps all three meanwhile.
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
    let object = handoff.makeFault(of: layout, layout.objectClass, at: place())
    if identity.layout === layout { object.takeIdentity(identity) }
    return object
  }

  /// Makes a fault of a class that is known; `layout` is this one's, `place` this thread's.
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
    // Without a context there is none: what is there is another object's, whose initializer is running.
    let pending = begin(handoff, at: place())
    defer { pending.end() }
    return layout.objectClass.init(ManagedObjectOrigin(layout, context: context))
  }

  // MARK: Handing over

  /// Where a thread has what is handed over until it is claimed.
  typealias Place = UnsafeMutablePointer<ObjectHandoff?>

  /// A hand-over under way, and what was handed over before: an initializer of the program's may make and fetch
  /// objects itself.
  struct Pending {
    fileprivate let place: Place
    fileprivate let outer: ObjectHandoff?

    /// To be called when the object is made.
    @inline(__always)
    func end() { place.pointee = outer }
  }

  /// Hands over what the initializer that is called next makes a new object from.
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

  /// What was handed over to the initializer that is running, if anything was.
  ///
  /// Claimed once, and for what it was meant: other objects that an overriding initializer makes are new
  /// ones. Only what it makes by `init(entity:insertInto:)` of its own entity, before it calls `super`,
  /// can't be told apart: classes may hand on another context than they were given.
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

  /// This thread's place.
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
