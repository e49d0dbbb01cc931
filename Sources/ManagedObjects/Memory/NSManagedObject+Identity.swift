/// An object's identity, its store and its context.
extension NSManagedObject {
  /// The row's key, or the number of a temporary identity.
  @inline(__always)
  final var rowKey: Int64 { storage.key }

  /// The object's identity.
  final var identity: NSManagedObjectID { storage.identity.object ?? makeIdentity() }

  /// Whether the identity object was requested, or belongs to a row.
  final var hasIdentity: Bool { !isTemporary || storage.identity.isSet }

  @inline(never)
  private final func makeIdentity() -> NSManagedObjectID {
    // Several threads may ask for the identity at once: the first to finish sets it.
    storage.identity.setOnce(NSManagedObjectID(layout: layout, store: storeReference, key: rowKey))
  }

  /// Adopts an existing identity object, in an object that was just made for it.
  final func takeIdentity(_ identity: NSManagedObjectID) { _ = storage.identity.setOnce(identity) }

  /// Assigns the permanent identity of an object that was never saved.
  final func adoptPermanentID(store: StoreReference, key: Int64) {
    let temporary = storage.identity.take()
    storage.enter(store, key: key)
    // The temporary identity is in use and may be used to look the object up.
    temporary?.setSuccessor(identity)
  }

  /// Gives the object an identity object that says the same, and that nothing has replaced.
  final func renewIdentity() { _ = storage.identity.take() }

  /// Adopts the permanent identity that an ancestor context has assigned.
  final func succeed(by permanent: NSManagedObjectID) {
    guard isTemporary, let store = permanent.storeReference else { return }
    let temporary = storage.identity.take()
    storage.enter(store, key: permanent.key)
    takeIdentity(permanent)
    _ = temporary
  }

  /// Whether an identity identifies this object.
  @inline(__always)
  final func isObject(of identity: NSManagedObjectID) -> Bool {
    identity.key == rowKey && identity.isIn(storage.store)
      && identity.layout.rootID == layout.rootID
  }

  /// Whether the object has no permanent identity yet.
  @inline(__always)
  final var isTemporary: Bool { storage.store == nil }

  // MARK: The store

  /// The object's store; nil before the first save.
  final var storeReference: StoreReference? { storage.store?.takeUnretainedValue() }

  /// Whether the object's row is in a store.
  @inline(__always)
  final func isIn(_ store: StoreReference) -> Bool {
    storage.store?.toOpaque() == Unmanaged.passUnretained(store).toOpaque()
  }

  /// Whether the object's row is in one of some stores, or will be. An object that isn't assigned to a store may go
  /// to any that accepts it.
  final func isIn(oneOf stores: [NSPersistentStore]) -> Bool {
    guard isTemporary else { return stores.contains { isIn($0.reference) } }
    if let assigned = scratch?.assignedStore?.reference {
      return stores.contains { $0.reference === assigned }
    }
    let store = context?.persistentStoreCoordinator?.usualStore(for: layout)
    return stores.contains { $0 === store }
  }

  // MARK: The context

  /// The context the object is registered with; nil if there is none.
  final var context: NSManagedObjectContext? {
    @inline(__always) get { storage.context?.takeUnretainedValue() }
    set {
      storage.setContext(newValue)
      // Without a row from the store, such an object's model data is kept alive by the block of its own row, or else
      // by a temporary identity.
      if storage.isOnItsOwn, isTemporary, !storage.hasOwnRow { _ = identity }
    }
  }

  /// Notifies the context of a change that is about to be made.
  @inline(__always)
  final func noteChange() {
    storage.context?._withUnsafeGuaranteedRef { $0.noteChange(of: self) }
  }

  /// Detaches the object from a context that is being deallocated. Breaks reference cycles between objects, which
  /// would leak them; other loaded relationships stay as they are.
  final func leaveContext() {
    context = nil
    breakCircles()
  }

  /// Forgets the relationships by which the object and others may keep each other alive.
  final func breakCircles() {
    guard touchedMembers != nil || scratch != nil else { return }
    scratch?.fetched = [:]
    scratch?.orderedSets = [:]
    for property in layout.toManys where property.destination?.leadsToMany == true {
      touchedMembers?[property.slot]?.breakCircle()
    }
  }

  /// Whether the object and others may keep each other alive.
  final var mayBeInCircle: Bool {
    guard touchedMembers != nil else { return false }
    return layout.toManys.contains { property in
      property.destination?.leadsToMany == true
        && touchedMembers?[property.slot]?.mayLeadBack == true
    }
  }

  /// Whether the object is registered with this context.
  @inline(__always)
  final func isOf(_ context: NSManagedObjectContext) -> Bool {
    storage.context?.toOpaque() == Unmanaged.passUnretained(context).toOpaque()
  }

  /// Whether both objects have the same context, or both have none.
  @inline(__always)
  final func isInContext(of other: NSManagedObject) -> Bool {
    storage.context?.toOpaque() == other.storage.context?.toOpaque()
  }
}

extension NSManagedObjectID {
  /// Whether a store is the row's; nil matches a row that was never saved.
  @inline(__always)
  func isIn(_ store: Unmanaged<StoreReference>?) -> Bool {
    storeReference.map { Unmanaged.passUnretained($0).toOpaque() } == store?.toOpaque()
  }
}
