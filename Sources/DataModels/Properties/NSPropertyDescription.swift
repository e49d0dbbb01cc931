import Foundation
import OrderedCollections
import PredicateFormat

/// A property of an entity: the common superclass of attributes, relationships, fetched properties and expressions.
///
/// Create an instance of one of the subclasses, configure it, and add it to an entity:
///
/// ```swift
/// let name = NSAttributeDescription()
/// name.name = "name"
/// name.type = .string
/// entity.properties = [name]
/// ```
///
/// A property belongs to at most one entity. Until a coordinator uses the model, a description is confined to one
/// thread at a time, like any class instance; afterwards it is immutable and any thread may read it.
open class NSPropertyDescription: NSObject, NSCopying, @unchecked Sendable {
  // Exclusivity checks are disabled because they would take a good part of the time needed to read and write a large
  // model. No property is passed inout.
  @exclusivity(unchecked) final var storedName: String
  @exclusivity(unchecked) package final var flags: PropertyFlags
  /// Unowned, so that retaining a property never retains a model. The entity sets the reference, and clears it when it
  /// is deallocated, since it owns the property. This avoids the cost of a weak reference, which would be noticeable
  /// for a model with 160,000 properties.
  @exclusivity(unchecked)
  final unowned(unsafe) var owner: NSEntityDescription?
  @exclusivity(unchecked) package final var extras: PropertyExtras?

  /// Creates an optional property without a name.
  public override init() {
    storedName = ""
    flags = .optional
  }

  /// Creates a property with the settings that a decoder has available, without checks.
  init(name: String, flags: PropertyFlags) {
    storedName = name
    self.flags = flags
  }

  /// The entity that the property belongs to.
  ///
  /// Reading it from a property without an entity is a programmer error and traps, because the type is Core Data's; use
  /// ``owningEntity`` to get `nil` instead.
  public final var entity: NSEntityDescription {
    guard let owner else {
      Misuse.trap(
        "-[NSPropertyDescription entity]: the property '\(storedName)' belongs to no entity")
    }
    return owner
  }

  /// The entity that the property belongs to, or `nil`. A MomKit addition.
  public final var owningEntity: NSEntityDescription? { owner }

  /// The property's name, which is its key for key-value coding. Empty in a new description.
  open var name: String {
    get { storedName }
    set {
      willChange("setName:")
      if flags.contains(.renamedToItself) {
        extra.renamingIdentifier = storedName
        flags.remove(.renamedToItself)
      }
      if let owner, newValue != storedName {
        owner.rename(self) { storedName = newValue }
      } else {
        storedName = newValue
      }
      StructureGeneration.tick()
    }
  }

  /// Whether the value may be missing when an object is saved. True in a new description.
  open var isOptional: Bool {
    get { flags.contains(.optional) }
    set { setFlag(.optional, to: newValue, for: "setOptional:") }
  }

  /// Whether the value is not saved in the store. False in a new description.
  open var isTransient: Bool {
    get { flags.contains(.transient) }
    set { setFlag(.transient, to: newValue, for: "setTransient:") }
  }

  /// Whether the value can't be set, as for derived attributes and fetched properties.
  package final var isReadOnly: Bool {
    get { flags.contains(.readOnly) }
    set { setFlag(.readOnly, to: newValue, for: "setReadOnly:") }
  }

  /// The old "indexed" checkbox. Newer models use a fetch index instead; see ``NSEntityDescription/indexes``.
  open var isIndexed: Bool {
    get { flags.contains(.indexed) }
    set { setFlag(.indexed, to: newValue, for: "setIndexed:") }
  }

  /// Whether system search indexes the value.
  open var isIndexedBySpotlight: Bool {
    get { flags.contains(.indexedBySpotlight) }
    set { setFlag(.indexedBySpotlight, to: newValue, for: "setIndexedBySpotlight:") }
  }

  /// Whether the value is also stored in an external record. Preserved in archives, without any effect.
  open var isStoredInExternalRecord: Bool {
    get { flags.contains(.storedInExternalRecord) }
    set { setFlag(.storedInExternalRecord, to: newValue, for: "setStoredInExternalRecord:") }
  }

  /// A string that changes the version hash without changing the property; `nil` when there is none.
  open var versionHashModifier: String? {
    get { extras?.versionHashModifier }
    set {
      willChange("setVersionHashModifier:")
      if newValue != nil || extras != nil { extra.versionHashModifier = newValue }
    }
  }

  /// The name that the property had in an older version of the model; its own name by default.
  ///
  /// Setting `nil` or an empty string restores the default.
  open var renamingIdentifier: String? {
    get { extras?.renamingIdentifier ?? storedName }
    set {
      willChange("setRenamingIdentifier:")
      let identifier = newValue.flatMap { $0.isEmpty ? nil : $0 }
      let isOwnName = identifier == storedName
      if isOwnName { flags.insert(.renamedToItself) } else { flags.remove(.renamedToItself) }
      if isOwnName || identifier == nil {
        extras?.renamingIdentifier = nil
      } else {
        extra.renamingIdentifier = identifier
      }
    }
  }

  /// User-defined information: property list values under arbitrary keys; empty when there is none.
  ///
  /// Dictionaries are unordered: entries set here are sorted by the text of their keys, while those read from a file
  /// keep the file's order.
  ///
  /// Unlike all other settings it may be changed while the model is in use, as in Core Data, because nothing but the
  /// program's own predicates and classes depends on it. It must not be accessed concurrently while it is changed.
  open var userInfo: [AnyHashable: Any]? {
    get { UserInfo.dictionary(orderedUserInfo) }
    set { orderedUserInfo = UserInfo.ordered(newValue) }
  }

  /// The conditions that values must satisfy in addition to having the right type. `SELF` stands for the value.
  open var validationPredicates: [NSPredicate] { extras?.validationPredicates ?? [] }

  /// For each validation predicate, the error reported when it fails: an error code (a number) or a string.
  open var validationWarnings: [Any] { extras?.validationWarnings ?? [] }

  /// Sets the conditions that values must satisfy, and an error message for each.
  ///
  /// - Parameters:
  ///   - validationPredicates: The predicates; `nil` for none.
  ///   - validationWarnings: The same number of strings; `nil` for none.
  open func setValidationPredicates(
    _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
  ) {
    setValidation(validationPredicates ?? [], warnings: validationWarnings ?? [])
  }

  /// Like the public setter, but with warnings of either kind: strings or error codes.
  package final func setValidation(_ predicates: [NSPredicate], warnings: [Any]) {
    willChange("setValidationPredicates:withValidationWarnings:")
    guard !(predicates.isEmpty && warnings.isEmpty && extras == nil) else { return }
    extra.validationPredicates = predicates
    extra.validationWarnings = warnings
  }

  /// Creates an editable copy without an owner; references to other entities are kept.
  open func copy(with zone: NSZone? = nil) -> Any {
    deepCopy()
  }

  /// Whether the other object is a property of the same class with equal settings. Targets of relationships and
  /// requests are compared by name.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSPropertyDescription).map { PropertyComparison.difference(self, $0) == nil }
      ?? false
  }

  /// A textual description: the property's class, entity and name.
  open override var description: String {
    "\(type(of: self)) " + (owner?.storedName.map { $0 + "." } ?? "") + storedName
  }

  /// A hash that is equal for equal properties.
  open override var hash: Int { storedName.hashValue }

  /// Creates a copy that keeps the original's references to other descriptions.
  func shallowCopy() -> NSPropertyDescription {
    let copy = NSPropertyDescription(name: storedName, flags: flags)
    copyCommonSettings(to: copy)
    return copy
  }

  /// Copies the settings that all subclasses have.
  final func copyCommonSettings(to copy: NSPropertyDescription) {
    copy.flags = flags.subtracting(.frozen)
    copy.extras = extras?.copy()
  }

  /// Makes the description read-only.
  func freeze() {
    flags.insert(.frozen)
  }
}

extension NSPropertyDescription: ExtrasBacked {
  /// Called by every setter before it changes anything.
  package final func willChange(_ selector: StaticString) {
    willChange(selector, of: "NSPropertyDescription")
  }

  /// Like ``willChange(_:)``, for the setters of subclasses.
  final func willChange(_ selector: StaticString, of type: StaticString) {
    if flags.contains(.frozen) { Freezing.trap(type, selector) }
    SettingGeneration.tick()
  }

  /// Sets or clears a flag on behalf of the given setter.
  final func setFlag(
    _ flag: PropertyFlags, to isOn: Bool, for selector: StaticString,
    of type: StaticString = "NSPropertyDescription"
  ) {
    willChange(selector, of: type)
    if isOn { flags.insert(flag) } else { flags.remove(flag) }
  }

  /// The renaming identifier if it was set to something other than the name, otherwise `nil`.
  package final var explicitRenamingIdentifier: String? {
    extras?.renamingIdentifier ?? (flags.contains(.renamedToItself) ? storedName : nil)
  }

  /// Sets an archived renaming identifier, where one equal to the name means that none was set.
  package final func setArchivedRenamingIdentifier(_ identifier: String?) {
    guard let identifier, identifier != storedName else { return }
    extra.renamingIdentifier = identifier
  }
}

/// Lets predicates access a property's name and user info: the predicate of a fetched property may contain
/// `$FETCHED_PROPERTY.userInfo.search`.
extension NSPropertyDescription: KeyValueReadable {
  /// The value of one of the keys `name` and `userInfo`.
  public final func predicateValue(
    forKey key: String
  ) throws(PredicateFormatError) -> PredicateValue {
    switch key {
    case "name": return .string(name)
    case "userInfo": return PredicateValue(reading: userInfo)
    default: throw .undefinedKey(key, of: self)
    }
  }
}
