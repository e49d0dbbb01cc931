/// The objects of one hierarchy in one store, by their keys.
///
/// Keys mostly come in a row, so their objects lie in pages of eight, and a directory, an open table,
/// tells where the page of a key is. The page used last is found without it. The table keeps its objects;
/// it counts references by hand, for searching must not.
final class IdentityTable {
  /// Whose objects a table has: the store, nil for none yet, and the hierarchy.
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
  // It keeps what its place names, and what objects without a store need of their model.
  private let store: StoreReference?
  private let root: EntityLayout
  private let model: ModelLayout?
  /// How many objects there are.
  private(set) var count = 0

  private typealias Reference = IdentityPages.Reference
  private typealias Page = IdentityPages.Page

  private struct Entry {
    /// The keys of the page, without their last bits.
    var run: Int64
    var page: Page?
  }

  private var directory: UnsafeMutablePointer<Entry>
  private var mask: Int
  private(set) var pageCount = 0
  @exclusivity(unchecked) private var pages = IdentityPages()
  /// How often pages moved or went.
  private var changes = 0
  /// The page used last.
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

  /// Where the entry of a run of keys is, or the free place where it would be.
  @inline(__always)
  private func find(_ run: Int64) -> Int {
    let mixed = UInt64(bitPattern: run) &* 0x9E37_79B9_7F4A_7C15
    var index = Int(truncatingIfNeeded: mixed >> 32) & mask
    while directory[index].page != nil, directory[index].run != run { index = (index &+ 1) & mask }
    return index
  }

  /// The place of a key, if there is a page with it.
  @inline(__always)
  private func known(_ key: Int64) -> Page? {
    let run = key >> IdentityPages.bits
    if recent.run != run || recent.page == nil {
      guard let page = directory[find(run)].page else { return nil }
      recent = (run, page)
    }
    return recent.page.map { $0 + Self.offset(key) }
  }

  /// The place of a key, in a new page if need be.
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

  /// Whether so many pages leave a third of a directory free.
  @inline(__always)
  private static func fits(_ count: Int, in size: Int) -> Bool { count * 3 <= size * 2 }

  /// Makes a directory with room for so many more pages, without those that are empty if these are many.
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

  /// Gives empty pages up if they are half of all, or more: the others move together, in the order of their
  /// keys. Whoever loads a million objects and keeps a few neither keeps memory for all nor goes through it
  /// for ever.
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

  /// Where an object is, or is to be entered.
  struct Spot {
    fileprivate let place: UnsafeMutablePointer<Unmanaged<NSManagedObject>?>
    fileprivate let changes: Int
  }

  /// The object of a key, or else where it is to be entered.
  @inline(__always)
  func look(for key: Int64) -> (known: Unmanaged<NSManagedObject>?, spot: Spot) {
    let place = place(of: key)
    return (place.pointee, Spot(place: place, changes: changes))
  }

  /// Enters an object that was just made, whose only reference becomes the table's.
  ///
  /// - Returns: nil if there is one of this key meanwhile: an initializer of the program's has met the same
  ///   row. That one stays.
  @inline(__always)
  func enterNew(
    _ object: __owned NSManagedObject, _ key: Int64, at spot: Spot
  ) -> Unmanaged<NSManagedObject>? {
    guard changes == spot.changes, spot.place.pointee == nil else {
      return enterLate(object, key)
    }
    let reference = Unmanaged.passUnretained(object)
    // The same word either way: what moves in here isn't counted a second time.
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

  /// Enters an object, in the place of the one that had the key.
  @inline(__always)
  func enter(_ object: NSManagedObject, _ key: Int64) { enter(.passRetained(object), key) }

  /// Enters an object that another table lets go of by ``abandonAll()``: its count becomes this one's.
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

  /// Makes room for so many more objects whose keys are in a row.
  func reserve(_ more: Int) {
    let needed = more / IdentityPages.width + 2
    if !Self.fits(pageCount + needed, in: mask + 1) { makeRoom(for: needed) }
  }

  // MARK: All objects

  /// Hands every object to `body`, which mustn't change the table.
  @inline(__always)
  func forEach(_ body: (NSManagedObject) -> Void) {
    pages.forEach { _, object in object._withUnsafeGuaranteedRef { body($0) } }
  }

  /// Moves the objects that `mayGo` allows and nobody else holds into `gone`.
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

  /// Whether the table alone holds the object at a place.
  @inline(__always)
  private static func isOnlyHere(_ place: Page) -> Bool {
    UnsafeMutableRawPointer(place)
      .withMemoryRebound(to: NSManagedObject.self, capacity: 1) {
        isKnownUniquelyReferenced(&$0.pointee)
      }
  }

  /// Calls `body` for every object, and lets go of those that somebody else holds too: none goes yet. To be
  /// followed by ``removeAll()``, for which these would be a second look at each; with it, fetching all took a
  /// twentieth longer.
  func dismiss(_ body: (NSManagedObject) -> Void) {
    pages.forEach { place, object in
      object._withUnsafeGuaranteedRef { body($0) }
      guard !Self.isOnlyHere(place) else { return }
      place.pointee = nil
      count -= 1
      object.release()
    }
  }

  /// Lets go of every object. Whatever the program does when one goes finds an empty table.
  func removeAll() {
    var old = pages
    pages = IdentityPages()
    abandonAll()
    old.forEach { $1.release() }
    old.removeAll()
  }

  /// Forgets the objects without letting go of them: other tables have adopted them all.
  func abandonAll() {
    pages.removeAll()
    directory.deallocate()
    mask = Self.smallest - 1
    directory = Self.makeDirectory(Self.smallest)
    (count, pageCount, recent) = (0, 0, (0, nil))
    changes &+= 1
  }
}
