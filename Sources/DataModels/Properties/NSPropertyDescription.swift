import Foundation
import OrderedCollections
import PredicateFormat

/// A property of an entity: what attributes, relationships, fetched properties and expressions have
/// in common.
///
/// You make one of the subclasses, set it up, and give it to an entity:
///
/// ```swift
/// let name = NSAttributeDescription()
/// name.name = "name"
/// name.type = .string
/// entity.properties = [name]
/// ```
///
/// A property belongs to one entity at most. Before a coordinator uses the model, a description is
/// as confined as any class instance; after that it never changes again and any thread may read it.
open class NSPropertyDescription: NSObject, NSCopying, @unchecked Sendable {
  // Without checks for overlapping access, which would be a good part of the time in which a large
  // model is read and written. Nothing is handed on by reference.
  @exclusivity(unchecked) final var storedName: String
  @exclusivity(unchecked) package final var flags: PropertyFlags
  /// Not kept, so that keeping a property never keeps a model. The entity sets it, and clears it
  /// when it goes, since it keeps the property; so it needs none of the cost of a weak reference,
  /// which a model of 160,000 properties would feel.
  @exclusivity(unchecked)
  final unowned(unsafe) var owner: NSEntityDescription?
  @exclusivity(unchecked) package final var extras: PropertyExtras?

  /// Makes an optional property without a name.
  public override init() {
    storedName = ""
    flags = .optional
  }

  /// Makes a property with the settings a decoder has at hand; nothing is checked.
  init(name: String, flags: PropertyFlags) {
    storedName = name
    self.flags = flags
  }

  /// The entity the property belongs to.
  ///
  /// Reading it of a property that is in no entity is a programmer's error and traps, because the
  /// type is Core Data's; ``owningEntity`` gives `nil`.
  public final var entity: NSEntityDescription {
    guard let owner else {
      Misuse.trap(
        "-[NSPropertyDescription entity]: the property '\(storedName)' belongs to no entity")
    }
    return owner
  }

  /// The entity the property belongs to, or `nil`. MomKit's own addition.
  public final var owningEntity: NSEntityDescription? { owner }

  /// The property's name; the key of key-value coding. Empty in a new description.
  open var name: String {
    get { storedName }
    set {
      willChange("setName:")
      if flags.contains(.renamedToItself) {
        extra.renamingIdentifier = storedName
        flags.remove(.renamedToItself)
      }
      storedName = newValue
      StructureGeneration.tick()
    }
  }

  /// Whether the value may be missing when an object is saved. True in a new description.
  open var isOptional: Bool {
    get { flags.contains(.optional) }
    set { setFlag(.optional, newValue, "setOptional:") }
  }

  /// Whether the value is left out of the store. False in a new description.
  open var isTransient: Bool {
    get { flags.contains(.transient) }
    set { setFlag(.transient, newValue, "setTransient:") }
  }

  /// Whether the value can't be set: derived attributes and fetched properties.
  package final var isReadOnly: Bool {
    get { flags.contains(.readOnly) }
    set { setFlag(.readOnly, newValue, "setReadOnly:") }
  }

  /// The old "indexed" checkbox. Newer models say the same with a fetch index; see
  /// ``NSEntityDescription/indexes``.
  open var isIndexed: Bool {
    get { flags.contains(.indexed) }
    set { setFlag(.indexed, newValue, "setIndexed:") }
  }

  /// Whether the system's search takes the value in.
  open var isIndexedBySpotlight: Bool {
    get { flags.contains(.indexedBySpotlight) }
    set { setFlag(.indexedBySpotlight, newValue, "setIndexedBySpotlight:") }
  }

  /// Whether the value goes to an external record too. Kept for archives; nothing acts on it.
  open var isStoredInExternalRecord: Bool {
    get { flags.contains(.storedInExternalRecord) }
    set { setFlag(.storedInExternalRecord, newValue, "setStoredInExternalRecord:") }
  }

  /// A text that changes the version hash without changing the property; `nil` when there is none.
  open var versionHashModifier: String? {
    get { extras?.versionHashModifier }
    set {
      willChange("setVersionHashModifier:")
      if newValue != nil || extras != nil { extra.versionHashModifier = newValue }
    }
  }

  /// The name under which an older version of the model had this property; its own name when none
  /// was set.
  ///
  /// Setting `nil` or an empty text goes back to the name.
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

  /// Free notes: property-list values under any keys; empty when there are none.
  ///
  /// A dictionary has no order; entries set here are kept in the order of their keys' texts, those
  /// read from a file in the file's order.
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

  /// What every value must fulfil, besides its type. `SELF` stands for the value.
  open var validationPredicates: [NSPredicate] { extras?.validationPredicates ?? [] }

  /// For each validation predicate what is wrong when it fails: an error code (a number) or a text.
  open var validationWarnings: [Any] { extras?.validationWarnings ?? [] }

  /// Sets what every value must fulfil, and for each predicate the text of its failure.
  ///
  /// - Parameters:
  ///   - validationPredicates: The predicates; `nil` for none.
  ///   - validationWarnings: As many texts; `nil` for none.
  open func setValidationPredicates(
    _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
  ) {
    setValidation(validationPredicates ?? [], warnings: validationWarnings ?? [])
  }

  /// As the public setter, with warnings of either kind: texts or error codes.
  package final func setValidation(_ predicates: [NSPredicate], warnings: [Any]) {
    willChange("setValidationPredicates:withValidationWarnings:")
    guard !(predicates.isEmpty && warnings.isEmpty && extras == nil) else { return }
    extra.validationPredicates = predicates
    extra.validationWarnings = warnings
  }

  /// Makes an unowned, editable copy; references to other entities stay what they are.
  open func copy(with zone: NSZone? = nil) -> Any {
    deepCopy()
  }

  /// Whether the other is a property of the same class with equal settings. What relationships and
  /// requests point at is compared by name.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSPropertyDescription).map { PropertyComparison.difference(self, $0) == nil }
      ?? false
  }

  /// A line for people: the property's class, entity and name.
  open override var description: String {
    "\(type(of: self)) " + (owner?.storedName.map { $0 + "." } ?? "") + storedName
  }

  /// Equal properties have equal hashes.
  open override var hash: Int { storedName.hashValue }

  /// A copy whose references to other descriptions still point where the original's do.
  func shallowCopy() -> NSPropertyDescription {
    let copy = NSPropertyDescription(name: storedName, flags: flags)
    copyCommonSettings(to: copy)
    return copy
  }

  /// What subclasses' copies share.
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

  /// As ``willChange(_:)``, for the setters of subclasses.
  final func willChange(_ selector: StaticString, of type: StaticString) {
    if flags.contains(.frozen) { Freezing.trap(type, selector) }
  }

  /// Sets or clears one flag for the setter named.
  final func setFlag(
    _ flag: PropertyFlags, _ isOn: Bool, _ selector: StaticString,
    of type: StaticString = "NSPropertyDescription"
  ) {
    willChange(selector, of: type)
    if isOn { flags.insert(flag) } else { flags.remove(flag) }
  }

  /// The renaming identifier when it was set and isn't the name, else `nil`.
  package final var explicitRenamingIdentifier: String? {
    extras?.renamingIdentifier ?? (flags.contains(.renamedToItself) ? storedName : nil)
  }

  /// Sets the renaming identifier an archive has, where one equal to the name means none.
  package final func setArchivedRenamingIdentifier(_ identifier: String?) {
    guard let identifier, identifier != storedName else { return }
    extra.renamingIdentifier = identifier
  }
}

/// Predicates ask a property for its name and its notes: that of a fetched property may say
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
