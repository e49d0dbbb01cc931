import Foundation
import OrderedCollections
import PredicateFormat
import Synchronization

/// A kind of object: its name, class, place in the hierarchy, and properties.
///
/// ```swift
/// let person = NSEntityDescription()
/// person.name = "Person"
/// person.managedObjectClassName = "Person"
/// person.properties = [name, age]
/// model.entities = [person]
/// ```
///
/// The hierarchy is made from the top: give an entity its ``subentities``. An entity belongs to one
/// model at most, which keeps it; an entity keeps its properties, indexes and subentities, and knows
/// its model and superentity without keeping them.
open class NSEntityDescription: NSObject, NSCopying, @unchecked Sendable {
  @exclusivity(unchecked) final var storedName: String?
  @exclusivity(unchecked) final var storedClassName: String?
  @exclusivity(unchecked) package final var ownPropertyList: [NSPropertyDescription] = []
  final var storedSubentities: [NSEntityDescription] = []
  final weak var model: NSManagedObjectModel?
  /// How others refer to this entity without keeping it.
  final let link = EntityLink()
  @exclusivity(unchecked) private final var superentityLink: EntityLink?
  final var storedSuperentity: NSEntityDescription? {
    get { superentityLink?.entity }
    set { superentityLink = newValue?.link }
  }
  @exclusivity(unchecked) package final var extras: EntityExtras?
  @exclusivity(unchecked) final var storedIsAbstract = false
  final var isFrozen = false
  final let tables = Mutex<EntityTables?>(nil)

  /// Makes an entity without a name and properties.
  public override init() {
    super.init()
    link.lead(to: self)
  }

  /// Makes an entity with the settings a decoder has at hand; nothing is checked.
  package init(name: String?, className: String?, isAbstract: Bool) {
    storedName = name
    storedClassName = className
    storedIsAbstract = isAbstract
    super.init()
    link.lead(to: self)
  }

  /// The entity's name, unique in its model.
  open var name: String? {
    get { storedName }
    set {
      willChange("setName:")
      storedName = newValue
      StructureGeneration.tick()
    }
  }

  /// The name of the class of the entity's objects: `NSManagedObject` until one is set, and again
  /// when `nil` is set.
  // Core Data's type: programs hand the value on without unwrapping it.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var managedObjectClassName: String! {
    get { storedClassName ?? "NSManagedObject" }
    set {
      willChange("setManagedObjectClassName:")
      storedClassName = newValue
    }
  }

  /// The class name that was set or read, or `nil`. MomKit's own addition: archives tell "none" from
  /// "NSManagedObject".
  public final var explicitClassName: String? { storedClassName }

  /// Whether there are objects of subentities only.
  open var isAbstract: Bool {
    get { storedIsAbstract }
    set {
      willChange("setAbstract:")
      storedIsAbstract = newValue
    }
  }

  /// The model the entity belongs to.
  ///
  /// Reading it of an entity that is in no model is a programmer's error and traps, because the type
  /// is Core Data's; ``owningModel`` gives `nil`.
  public final var managedObjectModel: NSManagedObjectModel {
    guard let model else {
      Misuse.trap(
        "-[NSEntityDescription managedObjectModel]: the entity '\(storedName ?? "")' belongs to no"
          + " model")
    }
    return model
  }

  /// The model the entity belongs to, or `nil`. MomKit's own addition.
  public final var owningModel: NSManagedObjectModel? { model }

  /// A text that changes the version hash without changing the entity; `nil` when there is none.
  open var versionHashModifier: String? {
    get { extras?.versionHashModifier }
    set {
      willChange("setVersionHashModifier:")
      if newValue != nil || extras != nil { extra.versionHashModifier = newValue }
    }
  }

  /// The name under which an older version of the model had this entity; its own name when none was
  /// set.
  open var renamingIdentifier: String? {
    get { extras?.renamingIdentifier ?? storedName }
    set {
      willChange("setRenamingIdentifier:")
      let identifier = newValue.flatMap { $0.isEmpty ? nil : $0 }
      if identifier != nil || extras != nil { extra.renamingIdentifier = identifier }
    }
  }

  /// Free notes: property-list values under any keys; empty when there are none.
  ///
  /// Unlike all else it may be set in a model that is in use, as in Core Data, for nothing is made of
  /// it but what the program's own predicates and classes make. Nobody else may be looking at it then.
  open var userInfo: [AnyHashable: Any]? {
    get { extras.map { UserInfo.dictionary($0.userInfo) } ?? [:] }
    set {
      let entries = UserInfo.ordered(newValue)
      if !entries.isEmpty || extras != nil { extra.userInfo = entries }
    }
  }

  /// The expression of the name that the system's search shows.
  open var coreSpotlightDisplayNameExpression: NSExpression? {
    get { extras?.spotlightExpression }
    set {
      willChange("setCoreSpotlightDisplayNameExpression:")
      if newValue != nil || extras != nil { extra.spotlightExpression = newValue }
    }
  }

  /// Makes an editable copy with copies of the entity's own properties and indexes, in no model and
  /// no hierarchy; relationships still point where the original's do.
  ///
  /// Copying a model copies the whole graph.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = shallowCopy()
    copy.setOwnProperties(ownPropertyList.map { $0.deepCopy() })
    return copy
  }

  /// Whether the other is an entity with equal settings, own properties and indexes, below a
  /// superentity of the same name.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSEntityDescription).map { EntityComparison.difference(self, $0) == nil } ?? false
  }

  /// A line for people: the entity's name.
  open override var description: String { "NSEntityDescription \(storedName ?? "without name")" }

  /// Equal entities have equal hashes.
  open override var hash: Int { storedName.hashValue }

  deinit {
    link.cut()
    for property in ownPropertyList where property.owner === self { property.owner = nil }
    // A hierarchy is released in a loop: a chain of 100,000 must not use up the stack.
    var pending = storedSubentities
    storedSubentities = []
    while var entity = pending.popLast() {
      guard isKnownUniquelyReferenced(&entity) else { continue }
      pending += entity.storedSubentities
      entity.storedSubentities = []
    }
  }
}

extension NSEntityDescription: ExtrasBacked {
  /// Called by every setter before it changes anything.
  package final func willChange(_ selector: StaticString) {
    if isFrozen { Freezing.trap("NSEntityDescription", selector) }
  }

  /// The renaming identifier when one was set, else `nil`.
  package final var explicitRenamingIdentifier: String? { extras?.renamingIdentifier }

  /// Sets the renaming identifier an archive has, where one equal to the name means none.
  package final func setArchivedRenamingIdentifier(_ identifier: String?) {
    guard let identifier, identifier != storedName else { return }
    extra.renamingIdentifier = identifier
  }

  /// Makes the entity, its properties and indexes read-only.
  final func freeze() {
    guard !isFrozen else { return }
    isFrozen = true
    tables.withLock { $0 = nil }
    for property in ownPropertyList { property.freeze() }
    for index in indexes { index.freeze() }
  }

  /// A copy without properties, subentities, superentity and model.
  final func shallowCopy() -> NSEntityDescription {
    let copy = NSEntityDescription(
      name: storedName, className: storedClassName, isAbstract: storedIsAbstract)
    copy.extras = extras?.copy()
    for index in copy.indexes { index.storedEntity = copy }
    return copy
  }
}
