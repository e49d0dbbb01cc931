/// The objects of one hierarchy in one store, by key.
///
/// Keys are mostly consecutive, so their objects lie in pages of eight. A directory, an open-addressing hash table,
/// maps keys to pages; the most recently used page is found without it. The table owns its objects and counts
/// references by hand, because lookups must not.
final class IdentityTable {
  /// The store (nil before the first save) and the hierarchy whose objects a table holds.
  struct Place: Hashable {
    let store: ObjectIdentifier?
    let root: ObjectIdentifier

    @inline(__always)
    init(_ store: StoreReference?, _ layout: EntityLayout) {
      self.store = store.map { ObjectIdentifier($0) }
      root = layout.rootID
    }
  }

  let place: Place
  // Keeps alive what `place` identifies, and the model data that objects without a store need.
  private let store: StoreReference?
  private let root: EntityLayout
  private let model: ModelLayout?
  /// The number of objects.
  private(set) var count = 0

  private typealias Reference = IdentityPages.Reference
  private typealias Page = IdentityPages.Page

  private struct Entry {
    /// The keys of the page, without their low bits.
    var run: Int64
    var page: Page?
  }

  private var directory: UnsafeMutablePointer<Entry>
  private var mask: Int
  private(set) var pageCount = 0
  @exclusivity(unchecked) private var pages = IdentityPages()
  /// Incremented when pages move or are freed.
  private var changes = 0
  /// The most recently used page.
  @exclusivity(unchecked) private var recent: (run: Int64, page: Page?) = (0, nil)

  private static let smallest = 4

  init(store: StoreReference?, root: EntityLayout) {
    place = Place(store, root)
    self.store = store
    self.root = root
    model = root.model
    mask = Self.smallest - 1
    directory = Self.makeDirectory(Self.smallest)
  }

  deinit {
    removeAll()
    directory.deallocate()
  }

  // MARK: Pages

  private static func makeDirectory(_ size: Int) -> UnsafeMutablePointer<Entry> {
    let directory = UnsafeMutablePointer<Entry>.allocate(capacity: size)
    directory.initialize(repeating: Entry(run: 0, page: nil), count: size)
    return directory
  }

  /// The index of the entry for a run of keys, or the free index where it would be inserted.
  @inline(__always)
  private func find(_ run: Int64) -> Int {
    let mixed = UInt64(bitPattern: run) &* 0x9E37_79B9_7F4A_7C15
    var index = Int(truncatingIfNeeded: mixed >> 32) & mask
    while directory[index].page != nil, directory[index].run != run { index = (index &+ 1) & mask }
    return index
  }

  /// The slot of a key, if its page exists.
  @inline(__always)
  private func known(_ key: Int64) -> Page? {
    let run = key >> IdentityPages.bits
    if recent.run != run || recent.page == nil {
      guard let page = directory[find(run)].page else { return nil }
      recent = (run, page)
    }
    return recent.page.map { $0 + Self.offset(key) }
  }

  /// The slot of a key, in a new page if necessary.
  @inline(__always)
  private func place(of key: Int64) -> Page {
    let run = key >> IdentityPages.bits
    if recent.run == run, let page = recent.page { return page + Self.offset(key) }
    return page(of: run) + Self.offset(key)
  }

  @inline(__always)
  private static func offset(_ key: Int64) -> Int {
    Int(truncatingIfNeeded: key) & (IdentityPages.width - 1)
  }

  @inline(never)
  private func page(of run: Int64) -> Page {
    var index = find(run)
    if let page = directory[index].page {
      recent = (run, page)
      return page
    }
    if !Self.fits(pageCount + 1, in: mask + 1) {
      makeRoom(for: 1)
      index = find(run)
    }
    let page = pages.make()
    directory[index] = Entry(run: run, page: page)
    pageCount += 1
    recent = (run, page)
    return page
  }

  /// Whether a directory of this size stays at least one third free with this many pages.
  @inline(__always)
  private static func fits(_ count: Int, in size: Int) -> Bool { count * 3 <= size * 2 }

  /// Makes room in the directory for additional pages, dropping empty pages first if there are many.
  private func makeRoom(for more: Int) {
    compact()
    guard !Self.fits(pageCount + more, in: mask + 1) else { return }
    remakeDirectory((0...mask).map { directory[$0] }, roomFor: more)
  }

  private func remakeDirectory(_ entries: [Entry], roomFor more: Int) {
    var size = Self.smallest
    while size < 2 * (pageCount + more) { size *= 2 }
    directory.deallocate()
    directory = Self.makeDirectory(size)
    mask = size - 1
    for entry in entries where entry.page != nil { directory[find(entry.run)] = entry }
  }

  /// Frees empty pages if they are at least half of all pages. The others move together, in key order. A program that
  /// loads a million objects and keeps a few then neither holds memory for all of them nor iterates over it forever.
  private func compact() {
    var rest = (0...mask).map { directory[$0] }.filter { entry in
      entry.page.map { !IdentityPages.isEmpty($0) } ?? false
    }
    guard rest.count < pageCount, rest.count * 2 <= pageCount else { return }
    rest.sort { $0.run < $1.run }
    var fresh = IdentityPages()
    for index in rest.indices {
      guard let page = rest[index].page else { continue }
      let moved = fresh.make()
      moved.update(from: page, count: IdentityPages.width)
      rest[index].page = moved
    }
    pages.removeAll()
    (pages, pageCount) = (fresh, rest.count)
    changes &+= 1
    recent = (0, nil)
    remakeDirectory(rest, roomFor: 0)
  }

  // MARK: Finding and entering

  /// The slot where an object is, or where it would be entered.
  struct Spot {
    fileprivate let place: UnsafeMutablePointer<Unmanaged<NSManagedObject>?>
    fileprivate let changes: Int
  }

  /// The object of a key, and the slot where it is or would be entered.
  @inline(__always)
  func look(for key: Int64) -> (known: Unmanaged<NSManagedObject>?, spot: Spot) {
    let place = place(of: key)
    return (place.pointee, Spot(place: place, changes: changes))
  }

  /// Enters a newly made object and takes over its only reference.
  ///
  /// - Returns: nil if the key was taken in the meantime, because a client's initializer fetched the same row. The
  ///   existing object stays.
  @inline(__always)
  func enterNew(
    _ object: __owned NSManagedObject, _ key: Int64, at spot: Spot
  ) -> Unmanaged<NSManagedObject>? {
    guard changes == spot.changes, spot.place.pointee == nil else {
      return enterLate(object, key)
    }
    let reference = Unmanaged.passUnretained(object)
    // Both have the same representation: moving the reference in avoids a retain.
    UnsafeMutableRawPointer(spot.place)
      .assumingMemoryBound(to: NSManagedObject.self).initialize(to: object)
    count += 1
    return reference
  }

  @inline(never)
  private func enterLate(_ object: NSManagedObject, _ key: Int64) -> Unmanaged<NSManagedObject>? {
    guard self[key] == nil else {
      object.leaveContext()
      return nil
    }
    enter(object, key)
    return .passUnretained(object)
  }

  subscript(key: Int64) -> NSManagedObject? {
    @inline(__always) get { known(key)?.pointee?.takeUnretainedValue() }
    set {
      if let newValue { enter(newValue, key) } else { remove(key) }
    }
  }

  /// Enters an object, replacing the one that had the key.
  @inline(__always)
  func enter(_ object: NSManagedObject, _ key: Int64) { enter(.passRetained(object), key) }

  /// Enters an object that another table gives up through ``abandonAll()``, taking over its reference.
  @inline(__always)
  func adopt(_ object: NSManagedObject, _ key: Int64) {
    enter(.passUnretained(object), key)
  }

  @inline(__always)
  private func enter(_ object: Reference, _ key: Int64) {
    let place = place(of: key)
    let before = place.pointee
    place.pointee = object
    if let before { before.release() } else { count += 1 }
  }

  private func remove(_ key: Int64) {
    guard let place = known(key), let removed = place.pointee else { return }
    place.pointee = nil
    count -= 1
    removed.release()
  }

  /// Reserves capacity for additional objects with consecutive keys.
  func reserve(_ more: Int) {
    let needed = more / IdentityPages.width + 2
    if !Self.fits(pageCount + needed, in: mask + 1) { makeRoom(for: needed) }
  }

  // MARK: All objects

  /// Calls `body` with every object. `body` must not change the table.
  @inline(__always)
  func forEach(_ body: (NSManagedObject) -> Void) {
    pages.forEach { _, object in object._withUnsafeGuaranteedRef { body($0) } }
  }

  /// Moves the objects that `mayGo` accepts and that only this table references into `gone`.
  func sweep(_ mayGo: (NSManagedObject) -> Bool, into gone: inout [NSManagedObject]) {
    let before = gone.count
    pages.forEach { place, object in
      guard Self.isOnlyHere(place), object._withUnsafeGuaranteedRef({ mayGo($0) }) else { return }
      place.pointee = nil
      gone.append(object.takeRetainedValue())
    }
    guard gone.count > before else { return }
    count -= gone.count - before
    compact()
  }

  /// Whether this table holds the only reference to the object in a slot.
  @inline(__always)
  private static func isOnlyHere(_ place: Page) -> Bool {
    UnsafeMutableRawPointer(place)
      .withMemoryRebound(to: NSManagedObject.self, capacity: 1) {
        isKnownUniquelyReferenced(&$0.pointee)
      }
  }

  /// Calls `body` with every object, and releases those that are referenced elsewhere too, so no object is
  /// deallocated yet. Must be followed by ``removeAll()``, which would otherwise have to look at these again:
  /// fetching all objects took a twentieth longer that way.
  func dismiss(_ body: (NSManagedObject) -> Void) {
    pages.forEach { place, object in
      object._withUnsafeGuaranteedRef { body($0) }
      guard !Self.isOnlyHere(place) else { return }
      place.pointee = nil
      count -= 1
      object.release()
    }
  }

  /// Releases every object. Code that runs when one is deallocated finds an empty table.
  func removeAll() {
    var old = pages
    pages = IdentityPages()
    abandonAll()
    old.forEach { $1.release() }
    old.removeAll()
  }

  /// Forgets the objects without releasing them: other tables have adopted them all.
  func abandonAll() {
    pages.removeAll()
    directory.deallocate()
    mask = Self.smallest - 1
    directory = Self.makeDirectory(Self.smallest)
    (count, pageCount, recent) = (0, 0, (0, nil))
    changes &+= 1
  }
}
