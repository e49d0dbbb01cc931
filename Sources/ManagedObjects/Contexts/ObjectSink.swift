/// Turns rows into a context's objects.
final class ObjectSink: RowSink {
  // Appended to for every row, by nobody else meanwhile: checking that would cost as much again.
  @exclusivity(unchecked) private(set) var objects: [NSManagedObject] = []
  /// Whose destinations the rows are; without it, the objects are put into ``objects``.
  var members: Unmanaged<ToManyMembers>?
  /// Whether objects that are there already may not agree with what is being loaded.
  var loosensKnown = false

  private let context: NSManagedObjectContext
  private let rows: RowAllocator
  private let refreshes: Bool
  private let takesValues: Bool
  private var store: StoreReference?
  /// The table of the last row's hierarchy, which the context keeps.
  private var table: Unmanaged<IdentityTable>?
  /// The object of the present row, which the context's table holds.
  private var last: Unmanaged<NSManagedObject>?
  private var isNew = false
  private var version: Int64 = 0
  private var lastLayout: UnsafeMutableRawPointer?
  private var objectClass: NSManagedObject.Type = NSManagedObject.self

  /// - Parameters:
  ///   - refreshes: whether objects that are there take the row's values.
  ///   - takesValues: whether objects take the row's values at all, or stay faults.
  init(_ context: NSManagedObjectContext, refreshes: Bool = false, takesValues: Bool = true) {
    self.context = context
    rows = context.rows
    self.refreshes = refreshes
    self.takesValues = takesValues
  }

  func begin(_ store: StoreReference?) {
    guard store !== self.store else { return }
    self.store = store
    (table, lastLayout) = (nil, nil)
  }

  func wantsValues(of layout: EntityLayout, key: Int64, version: Int64) -> Bool {
    if Unmanaged.passUnretained(layout).toOpaque() != lastLayout { prepare(for: layout) }
    self.version = version
    if let known = table?._withUnsafeGuaranteedRef({ $0[key] }) {
      isNew = false
      deliver(known)
      if loosensKnown { known.state.insert(.hasLooseEnds) }
      let isEmptyFault = known.state.contains(.fault) && !known.state.contains(.rowAtHand)
      return takesValues && isEmptyFault || refreshes && !known.hasChanges
    }
    // The table takes over the only reference there is.
    let object = Unmanaged.passRetained(
      ObjectSeed.grow(layout, objectClass, store: store, key: key, context: context))
    table?._withUnsafeGuaranteedRef { $0.enterOwned(object, key) }
    isNew = true
    last = object
    object._withUnsafeGuaranteedRef { append($0) }
    return takesValues
  }

  @inline(never)
  private func prepare(for layout: EntityLayout) {
    table = .passUnretained(context.identityMap.table(store: store, root: layout.root))
    lastLayout = Unmanaged.passUnretained(layout).toOpaque()
    objectClass = layout.objectClass
  }

  @inline(__always)
  private func deliver(_ object: NSManagedObject) {
    last = .passUnretained(object)
    append(object)
  }

  @inline(__always)
  private func append(_ object: NSManagedObject) {
    if let members {
      members._withUnsafeGuaranteedRef { $0.arrive(object) }
    } else {
      objects.append(object)
    }
  }

  func take(_ values: [StoredValue]) {
    let row = rows.nextRoom(width(of: values.count))
    for slot in values.indices { (row + slot).initialize(to: values[slot]) }
    takeRoom(count: values.count)
  }

  func room(count: Int) -> UnsafeMutablePointer<StoredValue>? { rows.nextRoom(width(of: count)) }

  func takeRoom(count: Int) {
    let width = width(of: count)
    let row = rows.room(width)
    if width > count { (row + count).initialize(repeating: .null, count: width - count) }
    keep(row)
  }

  /// How many values the row of the present object has. An identity may have claimed an entity below
  /// the row's own: what that one adds has no value.
  @inline(__always)
  private func width(of count: Int) -> Int {
    max(count, last?._withUnsafeGuaranteedRef { $0.layout.valueCount } ?? 0)
  }

  @inline(__always)
  private func keep(_ row: UnsafeMutablePointer<StoredValue>) {
    let block = rows.block
    last?._withUnsafeGuaranteedRef { object in
      object.rowVersion = version
      // An initializer of the program's may have read the row already.
      if isNew, object.current == nil {
        object.takeFirstRow(row, in: block)
      } else {
        object.takeRow(row, in: block)
        object.state.insert(object.isFault ? .rowAtHand : .hasLooseEnds)
      }
    }
  }
}
