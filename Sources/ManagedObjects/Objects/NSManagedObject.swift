import DataModels
import Foundation
import Synchronization

/// An object of a data model: named values, an identity, and a context that tracks its changes.
///
/// ```swift
/// final class Person: NSManagedObject {
///   @Managed var name: String?
///   @Managed var age: Int16
///   @Managed var company: Company?
/// }
/// let person = Person(context: context)
/// person.name = "Ada"
/// person["age"] = 36
/// try context.save()
/// ```
///
/// Use an object only on its context's queue. It is a *fault* until its values are accessed; they are then read from
/// the store.
open class NSManagedObject: NSObject, NSFetchRequestResult {
  final let layout: EntityLayout
  // An object is used by one thread at a time, and no client code runs while one of its parts is being changed.
  // Exclusivity checks would cost as much as the changes.
  @exclusivity(unchecked) final var storage: ObjectStorage

  /// Creates an object of `entity` and inserts it into `context`.
  ///
  /// Without a context the object is unattached: it has the model's default values, and
  /// ``NSManagedObjectContext/insert(_:)`` can insert it later.
  ///
  /// The object is an instance of the class whose initializer is called. Core Data's initializer returns an instance
  /// of the entity's class, even when called on `NSManagedObject`; Swift initializers can't. Use
  /// `NSEntityDescription.insertNewObject(forEntityName:into:)` for that.
  public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    let handoff = ObjectHandoff.claim(for: entity, in: context)
    if let handoff, !handoff.isNew {
      layout = handoff.entityLayout
      storage = ObjectStorage(handoff)
      super.init()
      return
    }
    guard
      let layout = handoff?.entityLayout ?? context?.layout(of: entity) ?? Self.layout(of: entity)
    else {
      preconditionFailure(
        "-[NSManagedObject initWithEntity:insertIntoManagedObjectContext:]: the entity "
          + "'\(entity.name ?? "")' belongs to no model, or not to the context's")
    }
    self.layout = layout
    storage = ObjectStorage(newWithKey: NSManagedObjectID.nextTemporaryKey())
    super.init()
    if let context {
      context.takeIn(self)
    } else {
      takeDefaultValues(from: RowAllocator(keeping: layout.model))
    }
  }

  /// Creates an object of the entity that this class represents, and inserts it into `context`.
  ///
  /// The class must represent exactly one entity of the context's model.
  public convenience init(context: NSManagedObjectContext) {
    // The parameter has no ownership modifier: a program's own `init(context:)` in an extension takes precedence only over
    // an initializer of the same type.
    let type = Self.self
    guard let layout = context.layout(of: type) else {
      preconditionFailure(
        "-[\(type) initWithContext:]: the context's model doesn't have exactly one entity with the "
          + "class '\(type)'")
    }
    let handoff = ObjectHandoff.begin(new: layout, in: context)
    self.init(entity: layout.entity, insertInto: context)
    handoff.end()
  }

  /// Creates an object of the class's entity without a context, like `init(entity:insertInto:)` with nil. In Core
  /// Data such an object has no entity and supports nothing but asking for its context.
  ///
  /// A class that doesn't represent an entity of a model in use is a programmer error and traps.
  public override convenience init() {
    self.init(entity: Self.entity(), insertInto: nil)
  }

  /// Creates an object of a class that is known only at run time; for internal use.
  public required convenience init(_ origin: ManagedObjectOrigin) {
    self.init(entity: origin.entity, insertInto: origin.context)
  }

  private static func layout(of entity: NSEntityDescription) -> EntityLayout? {
    entity.owningModel.flatMap { ModelLayout.of($0)[entity] }
  }

  // MARK: Identity and state
  // Core Data's documentation says which of these methods mustn't be overridden: they are final here.

  /// The object's entity.
  public final var entity: NSEntityDescription { layout.entity }

  /// The object's ID: temporary until the first save, permanent from then on.
  public final var objectID: NSManagedObjectID { identity }

  /// The object's context; nil before it is inserted, and after its deletion was saved or its context was
  /// deallocated.
  public final var managedObjectContext: NSManagedObjectContext? { context }

  /// Whether the object was inserted and not yet saved. In ``didSave()``, whether the save has inserted it.
  public final var isInserted: Bool { awaitsInsertion || state.contains(.savedInsertion) }

  /// Whether the object was saved before and has unsaved changes. In ``didSave()``, whether the save has written them.
  public final var isUpdated: Bool { awaitsUpdate || state.contains(.savedUpdate) }

  /// Whether the next save deletes the object, in ``prepareForDeletion()`` too. In ``didSave()``, whether the save has
  /// deleted it.
  public final var isDeleted: Bool {
    awaitsDeletion || !state.isDisjoint(with: [.preparesDeletion, .savedDeletion])
  }

  /// Whether the object was inserted, changed or deleted since the last save.
  open var hasChanges: Bool { !state.isDisjoint(with: .pending) }

  /// Whether the values haven't been loaded yet.
  public final var isFault: Bool { state.contains(.fault) }

  /// 0 if the object is fully loaded, otherwise another number.
  open var faultingState: Int { isFault ? 1 : 0 }

  /// Whether the context ignores changes of properties that the model doesn't have.
  open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

  // MARK: Changes

  /// The current values of properties that differ from the store, by name; `NSNull` for nil.
  ///
  /// Empty for an object without changes: setting only a primitive value doesn't count as a change.
  open func changedValues() -> [String: Any] { changesSinceSave() }

  /// The old values of persistent properties that changed in the current event, by name; `NSNull` for nil.
  ///
  /// While `NSManagedObjectContextObjectsDidChange` is posted, the current event is the one that it tells of: observers,
  /// and delegates of fetched results controllers, see what the properties were before.
  ///
  /// Of a to-many relationship the members are those of the last save, if they have been read.
  open func changedValuesForCurrentEvent() -> [String: Any] { changesInEvent() }

  /// Whether a persistent property differs from the store; false for an object without changes, like
  /// ``changedValues()``.
  open var hasPersistentChangedValues: Bool { (hasChanges || context == nil) && differsFromStore }

  /// The values in the store, `NSNull` for nil. If `keys` is nil, those of all persistent properties except to-many
  /// relationships that aren't loaded.
  open func committedValues(forKeys keys: [String]?) -> [String: Any] { savedValues(forKeys: keys) }

  /// Whether the destinations of a relationship would have to be loaded from the store.
  open func hasFault(forRelationshipNamed key: String) -> Bool { hasUnloadedMembers(key) }

  /// The IDs of a relationship's destinations; empty if there are none.
  open func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
    destinationIDs(key)
  }

  // MARK: Life cycle, for subclasses

  /// Called once, after the object was inserted with its default values. What it sets is part of the insertion:
  /// relationships and their inverses, too.
  open func awakeFromInsert() {}

  /// Called when the object's values were loaded from the store. Changes made here aren't tracked.
  open func awakeFromFetch() {}

  /// Called when values were reverted or merged: by undo, redo, rollback and refreshing.
  open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}

  /// Called before the object becomes a fault again: by a refresh, by the context's `reset()`, or when the context lets
  /// go of an object that nobody else has.
  open func willTurnIntoFault() {}

  /// Called after the object became a fault again.
  open func didTurnIntoFault() {}

  /// Called when the object is about to be deleted, before the deletion propagates.
  open func prepareForDeletion() {}

  /// Called before the object is saved. It is called again if it changes the object.
  open func willSave() {}

  /// Called after the object was saved.
  open func didSave() {}

  // MARK: The entity, for generated classes

  /// The entity that this class represents.
  ///
  /// It is looked up in the models that coordinators were created with. If no entity there names the class, or
  /// several do, the result is a description without a name, which can't be used to fetch or insert.
  open class func entity() -> NSEntityDescription { ModelsInUse.shared.entity(of: self) }

  /// A fetch request for objects of this class.
  ///
  /// Generated classes have a more specific overload, which is preferred:
  ///
  /// ```swift
  /// class func fetchRequest() -> NSFetchRequest<Person> {
  ///   NSFetchRequest<Person>(entityName: "Person")
  /// }
  /// ```
  @_disfavoredOverload
  open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    request.entity = entity()
    return request
  }

  // MARK: Key-value coding, for subclasses

  /// The value of a property: an `NSNumber`, `String`, `Date`, `Data`, `UUID`, `URL`, `NSDecimalNumber`, an
  /// `NSManagedObject`, or an `NSSet` or `NSOrderedSet` of objects; nil if there is none.
  ///
  /// An unknown name is passed to ``value(forUndefinedKey:)``.
  open func value(forKey key: String) -> Any? { readValue(forKey: key) }

  /// Sets the value of a property, and the inverse of a relationship.
  ///
  /// Accepts any Swift or Foundation form of the property's type; for relationships also a `Set`, an `Array` or an
  /// ordered set; nil and `NSNull` for no value. A value of another type is a programmer error and traps. A number
  /// that doesn't fit an integer attribute is truncated at once to a whole number modulo the attribute's width (40000
  /// in an Integer 16 is -25536), as in Core Data's stores; validation doesn't report this. An unknown name is passed
  /// to ``setValue(_:forUndefinedKey:)``.
  open func setValue(_ value: Any?, forKey key: String) {
    if value == nil || value is NSNull, let type = layout.property(key)?.attributeType,
      type.isNumeric || type == .booleanAttributeType
    {
      return setNilValueForKey(key)
    }
    writeValue(value, forKey: key)
  }

  /// Called when nil is set for a number by key-value coding. Sets it; a class whose property is a scalar overrides this
  /// to set a number instead. Core Data, which knows scalar accessors, calls it for these only, and traps unless
  /// it is overridden.
  open func setNilValueForKey(_ key: String) { writeValue(nil, forKey: key) }

  /// Called when a name that the model doesn't have is read; traps unless overridden.
  open func value(forUndefinedKey key: String) -> Any? {
    if UndefinedKeyCatcher.catches(self) { return nil }
    undefinedKey(key, in: "valueForUndefinedKey:")
  }

  /// Called when a name that the model doesn't have is set; traps unless overridden.
  open func setValue(_ value: Any?, forUndefinedKey key: String) {
    undefinedKey(key, in: "setValue:forUndefinedKey:")
  }

  /// Call before reading a primitive value; fires the fault.
  open func willAccessValue(forKey key: String?) { wake() }

  /// Call after reading a primitive value.
  open func didAccessValue(forKey key: String?) {}

  /// Call before setting a primitive value.
  open func willChangeValue(forKey key: String) { beginChange(ofKey: key) }

  /// Call after setting a primitive value; updates the inverse of a relationship.
  open func didChangeValue(forKey key: String) { endChange(ofKey: key) }

  /// Call before changing the set of a to-many relationship as a primitive value. Until the matching call of
  /// `didChangeValue(forKey:withSetMutation:using:)`, ``primitiveValue(forKey:)`` is a mutable set for this purpose.
  open func willChangeValue(
    forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
    using inObjects: Set<AnyHashable>
  ) {
    willChangeValue(forKey: inKey)
  }

  /// Call after changing the set of a to-many relationship as a primitive value.
  open func didChangeValue(
    forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
    using inObjects: Set<AnyHashable>
  ) {
    didChangeValue(forKey: inKey)
  }

  #if !canImport(ObjectiveC)
    /// Call before changing the ordered set of a to-many relationship as a primitive value. Until the matching call of
    /// `didChange(_:valuesAt:forKey:)`, ``primitiveValue(forKey:)`` is a mutable ordered set for this purpose.
    open func willChange(
      _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String
    ) {
      willChangeValue(forKey: key)
    }

    /// Call after changing the ordered set of a to-many relationship as a primitive value.
    open func didChange(
      _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String
    ) {
      didChangeValue(forKey: key)
    }

    /// The properties that another property is computed from, as declared by classes for key-value observing.
    ///
    /// MomKit doesn't call this: observing a property compares its value after each change of the object, including a
    /// computed property's value.
    ///
    /// - Returns: an empty set, unless overridden.
    open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }
  #endif

  // MARK: Validation, for subclasses

  /// The class's own validators of single properties, which Core Data finds by method name.
  ///
  /// ```swift
  /// override class var propertyValidators: [String: PropertyValidator] {
  ///   ["age": PropertyValidator(Person.validateAge)]
  /// }
  ///
  /// func validateAge(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws { … }
  /// ```
  ///
  /// ``validateValue(_:forKey:)`` calls each of them if the value is valid by the model.
  open class var propertyValidators: [String: PropertyValidator] { [:] }

  /// Whether validation calls ``validateValue(_:forKey:)`` for each property. False, unless the class has
  /// ``propertyValidators``, or overrides that method and returns true here: the calls cost a boxed value per
  /// property and saved object, and Swift can't detect whether the method is overridden.
  open class var validatesEachValue: Bool { !propertyValidators.isEmpty }

  /// Validates a value of a property against the model: whether it may be missing, the property's predicates, and the
  /// number of objects in a relationship. Throws the validation error.
  ///
  /// - Parameters:
  ///   - value: the value; an override may replace it.
  ///   - key: the property's name.
  open func validateValue(
    _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
  ) throws {
    guard let property = layout.propertiesByName[key] else { return }
    let errors = errors(of: value.pointee.map { $0 as Any }, for: property)
    if let error = CoreDataError.combined(errors) { throw error }
    try type(of: self).propertyValidators[key]?.check(self, value)
  }

  /// Validates the object before it is inserted, and throws any error. Overrides must call `super`.
  open func validateForInsert() throws {
    if let error = CoreDataError.combined(savingErrors()) { throw error }
  }

  /// Validates the object before it is updated, and throws any error. Overrides must call `super`.
  open func validateForUpdate() throws {
    if let error = CoreDataError.combined(savingErrors()) { throw error }
  }

  /// Validates the object before it is deleted, and throws any error. Overrides must call `super`.
  open func validateForDelete() throws {
    if let error = CoreDataError.combined(denialErrors()) { throw error }
  }

  private final func savingErrors() -> [any Error] {
    type(of: self).validatesEachValue ? validationErrorsByValue() : validationErrors()
  }

  // MARK: NSObject

  open override var description: String {
    let id = identity.description
    let address = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
    return "<\(type(of: self)): 0x\(address)> (entity: \(layout.name); id: \(id); "
      + "data: \(isFault ? "<fault>" : dataDescription))"
  }

  open override var debugDescription: String { description }

  /// Objects are compared by reference; subclasses can't change that.
  public final override func isEqual(_ object: Any?) -> Bool {
    guard let object else { return false }
    return sameClass(object).map { $0 === self } ?? (object as? NSManagedObject === self)
  }

  public final override var hash: Int {
    // Sets mix the hash well; it only has to distinguish objects.
    Int(bitPattern: ObjectIdentifier(self)) >> 4
  }

  private static func text(_ value: Any) -> String {
    switch value {
    case let text as String: "\"\(text)\""
    // Foundation traps on a date that is NaN.
    case let date as Date where date.timeIntervalSinceReferenceDate.isNaN: "nan"
    default: "\(value)"
    }
  }

  private var dataDescription: String {
    var lines: [String] = []
    for property in layout.propertiesByName.values.sorted(by: { $0.name < $1.name }) {
      let text: String
      switch property.kind {
      case .attribute(let type):
        let value = AttributeCodec.object(currentValue(at: property.slot), type: type)
        text = value.map(Self.text) ?? "nil"
      case .toOne: text = currentValue(at: property.slot).reference.map { "\"\($0)\"" } ?? "nil"
      case .toMany:
        let members = membersBySlot.isEmpty ? nil : membersBySlot[property.slot]
        text =
          members.flatMap { $0.isLoaded ? $0 : nil }
          .map { "(\($0.objects.map { "\"\($0.objectID)\"" }.joined(separator: ", ")))" }
          ?? "\"<relationship fault>\""
      case .fetched: continue
      }
      lines.append("    \(property.name) = \(text);")
    }
    return "{\n\(lines.joined(separator: "\n"))\n}"
  }
}
