import DataModels
import Synchronization

/// The memory layout of an entity's objects: the slots of their properties, and their class.
///
/// A layout is created once for each entity of a model in use. An entity's slots are its parent's followed by its
/// own, so a slot has the same meaning throughout a hierarchy.
@_spi(Engines) public final class EntityLayout: @unchecked Sendable {
  // Sendable: immutable once the whole model is laid out; the class, which is found later, is an atomic.

  /// The entity.
  public let entity: NSEntityDescription
  /// The entity's name.
  public let name: String
  /// The parent's layout.
  public let parent: EntityLayout?
  /// The root entity's layout; itself for a root entity.
  public var root: EntityLayout { topmost ?? self }
  /// The layout's identity, for comparison.
  var id: ObjectIdentifier { ObjectIdentifier(self) }
  /// The same, as an address.
  @inline(__always)
  var opaque: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
  /// The identity of the root entity's layout.
  private(set) var rootID: ObjectIdentifier
  /// Attributes and to-one relationships, by slot.
  public let values: [PropertyLayout]
  /// To-many relationships, by slot.
  public let toManys: [PropertyLayout]
  /// The to-one relationships in `values`.
  public let toOnes: [PropertyLayout]
  /// The stored to-one relationships that the deletion of a destination doesn't clear: they have no inverse, or one with
  /// the rule "no action".
  public let unguardedToOnes: [PropertyLayout]
  /// The other stored to-one relationships.
  let guardedToOnes: [PropertyLayout]
  /// The to-one relationships whose inverse is a stored to-one relationship.
  let oneToOnes: [PropertyLayout]
  /// Whether there are stored to-one relationships.
  let hasStoredToOnes: Bool
  /// The slots of to-one relationships.
  let toOneSlots: [Int]
  /// The attributes that the store computes.
  let derived: [PropertyLayout]
  /// The slots of transient properties with a default value.
  let transientSlots: [Int]
  /// The slots of all transient properties.
  let unstoredSlots: [Int]
  /// The slots of transformable attributes.
  let transformableSlots: [Int]
  /// The properties that validation must check: mandatory ones, and those with predicates.
  let validated: [PropertyLayout]
  /// The to-many relationships whose count validation must check.
  let limited: [PropertyLayout]
  /// Fetched properties, by slot.
  let fetched: [PropertyLayout]
  /// The values of a new object, by slot.
  public let defaultValues: [StoredValue]
  /// The same as contiguous memory, for copying.
  let defaultRow: FixedArray<StoredValue>
  /// The number of values.
  public let valueCount: Int
  /// Every property by name.
  public let propertiesByName: [String: PropertyLayout]
  private let names: NameTable<PropertyLayout>
  /// Whether objects of the entity or its subentities have to-many relationships; set once, when the whole model is
  /// laid out.
  var leadsToMany = false
  /// Whether the objects only record which keys are read; see ``KeyPathRecorder``.
  var recordsKeys = false
  /// Whether reads of the objects are tracked; see ``ObservableManagedObject``.
  var noticesReads: Bool { readsAreNoticed.load(ordering: .relaxed) }
  private let readsAreNoticed = Atomic<Bool>(false)
  /// The layouts of the whole model, which owns this layout and isn't retained by it. Code that follows a
  /// relationship must ensure that the model's layouts are kept alive: contexts and stores do so, and for objects
  /// that outlive both, the block of their row, or the store they retain.
  unowned(unsafe) var model: ModelLayout?

  private let topmost: EntityLayout?
  /// The class of the objects, once found; constant from then on.
  private let foundClass = Atomic<UInt>(0)
  /// The number of registered classes when the class was last searched for in vain.
  private let missedAmong = Atomic<Int>(-1)

  /// The layout of an entity that is in no model.
  static let ofNothing = EntityLayout(entity: NSEntityDescription(), parent: nil)

  init(entity: NSEntityDescription, parent: EntityLayout?) {
    self.entity = entity
    self.parent = parent
    name = entity.name ?? ""
    var values = parent?.values ?? []
    var toManys = parent?.toManys ?? []
    var fetched = parent?.fetched ?? []
    var byName = parent?.propertiesByName ?? [:]
    let own = entity.ownProperties
    byName.reserveCapacity(byName.count + own.count)
    for property in own.sorted(by: { $0.name < $1.name }) {
      // A property that hides an inherited one takes over its slot, if it is of the same kind.
      let hidden = byName[property.name]
      func placed(in list: inout [PropertyLayout]) -> PropertyLayout {
        if let hidden, list.indices.contains(hidden.slot), list[hidden.slot] === hidden {
          let made = PropertyLayout(property, slot: hidden.slot)
          list[hidden.slot] = made
          return made
        }
        let made = PropertyLayout(property, slot: list.count)
        list.append(made)
        return made
      }
      switch property {
      case is NSAttributeDescription: byName[property.name] = placed(in: &values)
      case let relationship as NSRelationshipDescription where relationship.isToMany:
        byName[property.name] = placed(in: &toManys)
      case is NSRelationshipDescription: byName[property.name] = placed(in: &values)
      default: byName[property.name] = placed(in: &fetched)
      }
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
    unguardedToOnes = toOnes.filter { property in
      let inverse = (property.description as? NSRelationshipDescription)?.inverseRelationship
      return !property.isTransient && (inverse == nil || inverse?.deleteRule == .noActionDeleteRule)
    }
    let unguarded = Set(unguardedToOnes.map(\.slot))
    guardedToOnes = toOnes.filter { !$0.isTransient && !unguarded.contains($0.slot) }
    oneToOnes = toOnes.filter { property in
      let inverse = (property.description as? NSRelationshipDescription)?.inverseRelationship
      return inverse.map { !$0.isToMany && !$0.isTransient } ?? false
    }
    hasStoredToOnes = toOnes.contains { !$0.isTransient }
    toOneSlots = toOnes.map(\.slot)
    derived = values.filter { $0.isDerived && !$0.isTransient }
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

  /// A row's values, with defaults for transient properties.
  func withTransientDefaults(_ row: [StoredValue]) -> [StoredValue] {
    var row = row
    for slot in transientSlots where row.indices.contains(slot) { row[slot] = defaultValues[slot] }
    return row
  }

  /// Whether the entity is `other` or a subentity of it.
  public func isKind(of other: EntityLayout) -> Bool {
    if self === other { return true }
    var next: EntityLayout? = self
    while let layout = next {
      if layout === other { return true }
      next = layout.parent
    }
    return false
  }

  /// Whether the entity has a property, or inherits it.
  func has(_ property: PropertyLayout) -> Bool { propertiesByName[property.name] === property }

  /// The property with a name.
  @inline(__always)
  public func property(_ name: String) -> PropertyLayout? {
    names[name] ?? propertiesByName[name]
  }

  /// The property with a short name.
  @inline(__always)
  func known(_ name: String) -> Unmanaged<PropertyLayout>? { names.reference(name) }

  /// The class of the entity's objects.
  @inline(__always)
  var objectClass: NSManagedObject.Type {
    let found = foundClass.load(ordering: .acquiring)
    guard found != 0 else { return findClass() }
    return unsafeBitCast(found, to: NSManagedObject.Type.self)
  }

  /// Makes the entity's objects plain `NSManagedObject` instances.
  func makePlainObjects() {
    let plain = unsafeBitCast(NSManagedObject.self as NSManagedObject.Type, to: UInt.self)
    foundClass.store(plain, ordering: .releasing)
  }

  @inline(never)
  private func findClass() -> NSManagedObject.Type {
    // An unknown class may be registered later, when the program first uses it.
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

  /// Records the features that the class of the objects requests.
  func meet(_ type: NSManagedObject.Type) {
    guard type is any ObservableManagedObject.Type else { return }
    NSManagedObjectContext.hasWatchers.set()
    readsAreNoticed.store(true, ordering: .relaxed)
  }
}
