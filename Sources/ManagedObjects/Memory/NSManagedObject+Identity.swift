/// An object's identity, its store and its context.
extension NSManagedObject {
  /// The row's key, or the number of a temporary identity.
  @inline(__always)
  final var rowKey: Int64 { storage.key }

  /// The object's identity.
  final var identity: NSManagedObjectID { storage.identity.object ?? makeIdentity() }

  /// Whether somebody has asked for the identity, or it is that of a row.
  final var hasIdentity: Bool { !isTemporary || storage.identity.isSet }

  @inline(never)
  private final func makeIdentity() -> NSManagedObjectID {
    // Other threads may ask an object for its identity: the first to be done makes it.
    storage.identity.setOnce(NSManagedObjectID(layout: layout, store: storeReference, key: rowKey))
  }

  /// Takes an identity that somebody has already, in an object that was just made for it.
  final func takeIdentity(_ identity: NSManagedObjectID) { _ = storage.identity.setOnce(identity) }

  /// Gives an object that was never saved its lasting identity.
  final func takeLastingIdentity(store: StoreReference, key: Int64) {
    let temporary = storage.identity.take()
    storage.enter(store, key: key)
    // Somebody knows the temporary one, and may ask for the object by it.
    temporary?.setSuccessor(identity)
  }

  /// Takes the lasting identity that an ancestor context has given in the temporary one's place.
  final func succeed(by lasting: NSManagedObjectID) {
    guard isTemporary, let store = lasting.storeReference else { return }
    let temporary = storage.identity.take()
    storage.enter(store, key: lasting.key)
    takeIdentity(lasting)
    _ = temporary
  }

  /// Whether an identity is this object's.
  @inline(__always)
  final func isObject(of identity: NSManagedObjectID) -> Bool {
    identity.key == rowKey && identity.isIn(storage.store)
      && identity.layout.rootID == layout.rootID
  }

  /// Whether the object has no lasting identity yet.
  @inline(__always)
  final var isTemporary: Bool { storage.store == nil }

  // MARK: The store

  /// The store the object is in; nil before it was saved.
  final var storeReference: StoreReference? { storage.store?.takeUnretainedValue() }

  /// Whether the object's row is in a store.
  @inline(__always)
  final func isIn(_ store: StoreReference) -> Bool {
    storage.store?.toOpaque() == Unmanaged.passUnretained(store).toOpaque()
  }

  /// Whether the object's row is in one of some stores, or will be; whoever wasn't assigned to a store may
  /// get into any that takes it.
  final func isIn(oneOf stores: [NSPersistentStore]) -> Bool {
    guard isTemporary else { return stores.contains { isIn($0.reference) } }
    if let assigned = scratch?.assignedStore { return stores.contains { $0 === assigned } }
    let store = context?.persistentStoreCoordinator?.usualStore(for: layout)
    return stores.contains { $0 === store }
  }

  // MARK: The context

  /// The context, while it has the object.
  final var context: NSManagedObjectContext? {
    @inline(__always) get { storage.context?.takeUnretainedValue() }
    set {
      storage.setContext(newValue)
      // Without a row from the store, what such an object needs of its model is kept by the block of a row of
      // its own, and else by a temporary identity.
      if storage.isOnItsOwn, isTemporary, !storage.hasOwnRow { _ = identity }
    }
  }

  /// Tells the context of a change that is about to be made.
  @inline(__always)
  final func noteChange() {
    storage.context?._withUnsafeGuaranteedRef { $0.noteChange(of: self) }
  }

  /// The object stays behind where its context goes: what leads in a circle from object to object would
  /// keep them all for ever. Other relationships that are here stay as they are.
  final func leaveContext() {
    context = nil
    guard touchedMembers != nil || scratch != nil else { return }
    scratch?.fetched = [:]
    scratch?.orderedSets = [:]
    for property in layout.toManys where property.destination?.leadsToMany == true {
      touchedMembers?[property.slot]?.breakCircle()
    }
  }

  /// Whether this context has the object.
  @inline(__always)
  final func isOf(_ context: NSManagedObjectContext) -> Bool {
    storage.context?.toOpaque() == Unmanaged.passUnretained(context).toOpaque()
  }

  /// Whether the context that has another object, if any, has this one.
  @inline(__always)
  final func isInContext(of other: NSManagedObject) -> Bool {
    storage.context?.toOpaque() == other.storage.context?.toOpaque()
  }
}

extension NSManagedObjectID {
  /// Whether a store is the row's; nil is that of a row that was never saved.
  @inline(__always)
  func isIn(_ store: Unmanaged<StoreReference>?) -> Bool {
    storeReference.map { Unmanaged.passUnretained($0).toOpaque() } == store?.toOpaque()
  }
}
