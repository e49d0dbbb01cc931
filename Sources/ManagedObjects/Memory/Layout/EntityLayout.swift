import DataModels
import Synchronization

/// How objects of an entity are laid out in memory: which property lies where, and which class they
/// are of.
///
/// A layout is made once for each entity of a model in use. An entity's slots are its parent's
/// followed by its own, so a slot means the same in a whole hierarchy.
@_spi(Engines) public final class EntityLayout: @unchecked Sendable {
  // Sendable: never changed once the whole model is laid out; the class that is found is an atomic.

  /// The entity.
  public let entity: NSEntityDescription
  /// The entity's name.
  public let name: String
  /// The parent's layout.
  public let parent: EntityLayout?
  /// The layout at the top of the hierarchy; itself for a root.
  public var root: EntityLayout { topmost ?? self }
  /// Which layout this is, for comparing.
  var id: ObjectIdentifier { ObjectIdentifier(self) }
  /// The same, as an address.
  @inline(__always)
  var opaque: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
  /// Which layout is at the top of the hierarchy.
  private(set) var rootID: ObjectIdentifier
  /// Attributes and to-ones, by slot.
  public let values: [PropertyLayout]
  /// To-many relationships, by slot.
  public let toManys: [PropertyLayout]
  /// The to-ones among the values.
  public let toOnes: [PropertyLayout]
  /// Where they are.
  let toOneSlots: [Int]
  /// Where the values are that no store keeps, and that begin with something.
  let transientSlots: [Int]
  /// Where all values are that no store keeps.
  let unstoredSlots: [Int]
  /// Where the values of transformable attributes are.
  let transformableSlots: [Int]
  /// The values that may be found wrong: mandatory ones, and those with predicates.
  let validated: [PropertyLayout]
  /// The to-manys whose number of destinations may be found wrong.
  let limited: [PropertyLayout]
  /// Fetched properties, by slot.
  let fetched: [PropertyLayout]
  /// What a new object starts with, by slot.
  public let defaultValues: [StoredValue]
  /// The same in memory, for copying.
  let defaultRow: FixedArray<StoredValue>
  /// How many values there are.
  public let valueCount: Int
  /// Every property by name.
  public let propertiesByName: [String: PropertyLayout]
  private let names: NameTable<PropertyLayout>
  /// Whether objects of the entity, or of one below it, have to-many relationships; set once, when the
  /// whole model is laid out.
  var leadsToMany = false
  /// Whether the objects only note which keys they are asked for; see ``KeyPathRecorder``.
  var recordsKeys = false
  /// Whether reading the objects is noticed; see ``ObservableManagedObject``.
  var noticesReads: Bool { readsAreNoticed.load(ordering: .relaxed) }
  private let readsAreNoticed = Atomic<Bool>(false)
  /// The layouts of the whole model, which keeps this one but not the other way round. Whoever follows a
  /// relationship must have it kept: contexts and stores do, and for objects that outlive both the block
  /// their row is in, or the store they keep.
  unowned(unsafe) var model: ModelLayout?

  private let topmost: EntityLayout?
  /// The class of the objects, once it is found; it stays the same from then on.
  private let foundClass = Atomic<UInt>(0)
  /// How many classes the program had made known when this one was looked for in vain.
  private let missedAmong = Atomic<Int>(-1)

  init(entity: NSEntityDescription, parent: EntityLayout?) {
    self.entity = entity
    self.parent = parent
    name = entity.name ?? ""
    var values = parent?.values ?? []
    var toManys = parent?.toManys ?? []
    var fetched = parent?.fetched ?? []
    var byName = parent?.propertiesByName ?? [:]
    for property in entity.ownProperties.sorted(by: { $0.name < $1.name }) {
      // A property that hides an inherited one takes its place, if it is of the same kind.
      let hidden = byName[property.name]
      var made = PropertyLayout(property, slot: 0)
      func place(_ list: inout [PropertyLayout]) {
        if let hidden, list.indices.contains(hidden.slot), list[hidden.slot] === hidden {
          made = PropertyLayout(property, slot: hidden.slot)
          list[hidden.slot] = made
        } else {
          made = PropertyLayout(property, slot: list.count)
          list.append(made)
        }
      }
      switch made.kind {
      case .attribute, .toOne: place(&values)
      case .toMany: place(&toManys)
      case .fetched: place(&fetched)
      }
      byName[property.name] = made
    }
    self.values = values
    self.toManys = toManys
    validated = values.filter {
      !($0.isDerived && $0.isOptional)
        && (!$0.isOptional || !$0.description.validationPredicates.isEmpty)
    }
    limited = toManys.filter { property in
      guard let relationship = property.description as? NSRelationshipDescription else {
        return false
      }
      return relationship.minCount > 0 || relationship.maxCount > 0
    }
    toOnes = values.filter { $0.kind == .toOne }
    toOneSlots = toOnes.map(\.slot)
    unstoredSlots = values.filter(\.isTransient).map(\.slot)
    transientSlots = unstoredSlots.filter { !values[$0].defaultValue.isNull }
    transformableSlots = values.filter { $0.attributeType == .transformableAttributeType }
      .map(\.slot)
    self.fetched = fetched
    defaultValues = values.map(\.defaultValue)
    defaultRow = FixedArray(defaultValues)
    valueCount = values.count
    propertiesByName = byName
    names = NameTable(byName)
    topmost = parent?.root
    rootID = parent?.rootID ?? ObjectIdentifier(EntityLayout.self)
    if parent == nil { rootID = id }
  }

  /// A row's values, with the defaults of what no store keeps.
  func withTransientDefaults(_ row: [StoredValue]) -> [StoredValue] {
    var row = row
    for slot in transientSlots where row.indices.contains(slot) { row[slot] = defaultValues[slot] }
    return row
  }

  /// Whether the entity is `other` or below it.
  public func isKind(of other: EntityLayout) -> Bool {
    if self === other { return true }
    var next: EntityLayout? = self
    while let layout = next {
      if layout === other { return true }
      next = layout.parent
    }
    return false
  }

  /// The property of a name.
  @inline(__always)
  public func property(_ name: String) -> PropertyLayout? {
    names[name] ?? propertiesByName[name]
  }

  /// The property of a short name.
  @inline(__always)
  func known(_ name: String) -> Unmanaged<PropertyLayout>? { names.reference(name) }

  /// The class of the entity's objects.
  @inline(__always)
  var objectClass: NSManagedObject.Type {
    let found = foundClass.load(ordering: .acquiring)
    guard found != 0 else { return findClass() }
    return unsafeBitCast(found, to: NSManagedObject.Type.self)
  }

  /// Has the entity's objects be of no class of the program's.
  func makePlainObjects() {
    let plain = unsafeBitCast(NSManagedObject.self as NSManagedObject.Type, to: UInt.self)
    foundClass.store(plain, ordering: .releasing)
  }

  @inline(never)
  private func findClass() -> NSManagedObject.Type {
    // A class that isn't known yet may be met later, by its first use in the program.
    let classes = ObjectClassRegistry.shared
    guard missedAmong.load(ordering: .relaxed) != classes.count else {
      return NSManagedObject.self
    }
    guard let found = classes.find(entity.managedObjectClassName) else {
      missedAmong.store(classes.count, ordering: .relaxed)
      return NSManagedObject.self
    }
    meet(found)
    foundClass.store(unsafeBitCast(found, to: UInt.self), ordering: .releasing)
    return found
  }

  /// Learns what the class of the objects asks for.
  func meet(_ type: NSManagedObject.Type) {
    guard type is any ObservableManagedObject.Type else { return }
    NSManagedObjectContext.hasWatchers.set()
    readsAreNoticed.store(true, ordering: .relaxed)
  }
}
