import Foundation
import OrderedCollections
import PredicateFormat
import Synchronization

/// A kind of object: its name, class, position in the hierarchy, and properties.
///
/// ```swift
/// let person = NSEntityDescription()
/// person.name = "Person"
/// person.managedObjectClassName = "Person"
/// person.properties = [name, age]
/// model.entities = [person]
/// ```
///
/// The hierarchy is built from the top by setting ``subentities``. An entity belongs to at most one model, which owns
/// it. An entity owns its properties, indexes and subentities, and has unowned references to its model and superentity.
open class NSEntityDescription: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: like its model, it is confined to one thread until it is in use, and immutable afterwards.
  @exclusivity(unchecked) final var storedName: String?
  @exclusivity(unchecked) final var storedClassName: String?
  @exclusivity(unchecked) package final var ownPropertyList: [NSPropertyDescription] = []
  final var storedSubentities: [NSEntityDescription] = []
  final weak var model: NSManagedObjectModel?
  /// The shared reference for objects that refer to this entity without owning it.
  final let link = EntityLink()
  @exclusivity(unchecked) private final var superentityLink: EntityLink?
  final var storedSuperentity: NSEntityDescription? {
    get { superentityLink?.entity }
    set { superentityLink = newValue?.link }
  }
  @exclusivity(unchecked) package final var extras: EntityExtras?
  @exclusivity(unchecked) final var storedIsAbstract = false
  final var isFrozen = false
  /// Whether the older forms of indexes follow each change of them; false while an editor changes many and does so itself.
  package final var tendsIndexTraces = true
  final let tables = Mutex<EntityTables?>(nil)

  /// Creates an entity without a name or properties.
  public override init() {
    super.init()
    link.lead(to: self)
  }

  /// Creates an entity with the settings that a decoder has available, without checks.
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

  /// The name of the class of the entity's objects: `NSManagedObject` by default, and after setting `nil`.
  // The type is Core Data's: programs pass the value on without unwrapping it.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var managedObjectClassName: String! {
    get { storedClassName ?? "NSManagedObject" }
    set {
      willChange("setManagedObjectClassName:")
      storedClassName = newValue
    }
  }

  /// The class name that was set or read, or `nil`. A MomKit addition: archives distinguish "none" from
  /// "NSManagedObject".
  public final var explicitClassName: String? { storedClassName }

  /// Whether only subentities can have objects.
  open var isAbstract: Bool {
    get { storedIsAbstract }
    set {
      willChange("setAbstract:")
      storedIsAbstract = newValue
    }
  }

  /// The model that the entity belongs to.
  ///
  /// Reading it from an entity without a model is a programmer error and traps, because the type is Core Data's; use
  /// ``owningModel`` to get `nil` instead.
  public final var managedObjectModel: NSManagedObjectModel {
    guard let model else {
      Misuse.trap(
        "-[NSEntityDescription managedObjectModel]: the entity '\(storedName ?? "")' belongs to no"
          + " model")
    }
    return model
  }

  /// The model that the entity belongs to, or `nil`. A MomKit addition.
  public final var owningModel: NSManagedObjectModel? { model }

  /// A string that changes the version hash without changing the entity; `nil` when there is none.
  open var versionHashModifier: String? {
    get { extras?.versionHashModifier }
    set {
      willChange("setVersionHashModifier:")
      if newValue != nil || extras != nil { extra.versionHashModifier = newValue }
    }
  }

  /// The name that the entity had in an older version of the model; its own name by default.
  open var renamingIdentifier: String? {
    get { extras?.renamingIdentifier ?? storedName }
    set {
      willChange("setRenamingIdentifier:")
      let identifier = newValue.flatMap { $0.isEmpty ? nil : $0 }
      if identifier != nil || extras != nil { extra.renamingIdentifier = identifier }
    }
  }

  /// User-defined information: property list values under arbitrary keys; empty when there is none.
  ///
  /// Unlike all other settings it may be changed while the model is in use, as in Core Data, because nothing but the
  /// program's own predicates and classes depends on it. It must not be accessed concurrently while it is changed.
  open var userInfo: [AnyHashable: Any]? {
    get { UserInfo.dictionary(orderedUserInfo) }
    set { orderedUserInfo = UserInfo.ordered(newValue) }
  }

  /// The expression for the name displayed by system search.
  open var coreSpotlightDisplayNameExpression: NSExpression? {
    get { extras?.spotlightExpression }
    set {
      willChange("setCoreSpotlightDisplayNameExpression:")
      if newValue != nil || extras != nil { extra.spotlightExpression = newValue }
    }
  }

  /// Creates an editable copy with copies of the entity's own properties and indexes, without a model or hierarchy. Its
  /// relationships keep the destinations of the original.
  ///
  /// To copy a whole graph, copy the model.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = shallowCopy()
    copy.setOwnProperties(ownPropertyList.map { $0.deepCopy() })
    return copy
  }

  /// Whether the other object is an entity with equal settings, own properties and indexes, and a superentity of the
  /// same name.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSEntityDescription).map { EntityComparison.difference(self, $0) == nil } ?? false
  }

  /// A textual description: the entity's name.
  open override var description: String { "NSEntityDescription \(storedName ?? "without name")" }

  /// A hash that is equal for equal entities.
  open override var hash: Int { storedName.hashValue }

  deinit {
    link.cut()
    for property in ownPropertyList where property.owner === self { property.owner = nil }
    // Release the hierarchy iteratively: a chain of 100,000 entities must not overflow the stack.
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
    SettingGeneration.tick()
  }

  /// The renaming identifier if one was set, otherwise `nil`.
  package final var explicitRenamingIdentifier: String? { extras?.renamingIdentifier }

  /// Sets an archived renaming identifier, where one equal to the name means that none was set.
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

  /// Creates a copy without properties, subentities, superentity and model.
  final func shallowCopy() -> NSEntityDescription {
    let copy = NSEntityDescription(
      name: storedName, className: storedClassName, isAbstract: storedIsAbstract)
    copy.extras = extras?.copy()
    for index in copy.indexes { index.storedEntity = copy }
    return copy
  }
}
