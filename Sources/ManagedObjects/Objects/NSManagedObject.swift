import DataModels
import Foundation
import Synchronization

/// An object of a data model: values under names, an identity, and a context that watches over it.
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
/// An object is used on its context's queue only. It is a *fault* until its values are asked for;
/// they are then read from the store.
open class NSManagedObject: NSObject, NSFetchRequestResult {
  final let layout: EntityLayout
  // An object is used by one thread at a time, and nothing of the program's is called while one of its
  // parts is being changed: watching over that would cost as much as the changes.
  @exclusivity(unchecked) final var storage: ObjectStorage

  /// Makes an object of `entity` and inserts it into `context`.
  ///
  /// Without a context the object is unattached: it has the model's default values, and
  /// ``NSManagedObjectContext/insert(_:)`` can take it in later.
  ///
  /// The object is of the class whose initializer it is. Core Data's makes one of the entity's class, also when it
  /// is called on `NSManagedObject`; Swift's initializers can't: there use
  /// `NSEntityDescription.insertNewObject(forEntityName:into:)`.
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
          + "'\(entity.name ?? "")' belongs to no model, or to another than the context's")
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

  /// Makes an object of the entity whose class this is, and inserts it into `context`.
  ///
  /// The class must stand for exactly one entity of the context's model.
  public convenience init(context: __shared NSManagedObjectContext) {
    let type = Self.self
    guard let layout = context.layout(of: type) else {
      preconditionFailure(
        "-[\(type) initWithContext:]: not exactly one entity of the context's model is of the "
          + "class '\(type)'")
    }
    let handoff = ObjectHandoff.begin(new: layout, in: context)
    self.init(entity: layout.entity, insertInto: context)
    handoff.end()
  }

  /// Makes an object of the class's entity that belongs to no context, as `init(entity:insertInto:)` does without
  /// one. Core Data's is of no entity and good for nothing but to ask it for its context.
  ///
  /// A class that stands for no entity of a model in use is a programmer's error and traps.
  public override convenience init() {
    self.init(entity: Self.entity(), insertInto: nil)
  }

  /// Makes an object of a class that is known only when the program runs; for internal use.
  public required convenience init(_ origin: ManagedObjectOrigin) {
    self.init(entity: origin.entity, insertInto: origin.context)
  }

  private static func layout(of entity: NSEntityDescription) -> EntityLayout? {
    entity.owningModel.flatMap { ModelLayout.of($0)[entity] }
  }

  // MARK: What it is

  /// The object's entity.
  public final var entity: NSEntityDescription { layout.entity }

  /// The object's identity: temporary until the first save, lasting from then on.
  public final var objectID: NSManagedObjectID { identity }

  /// The context the object is in; nil before it was inserted, and after it was deleted for good or
  /// its context went.
  public final var managedObjectContext: NSManagedObjectContext? { context }

  /// Whether the object was inserted and not yet saved.
  public final var isInserted: Bool { state.contains(.inserted) && !state.contains(.deleted) }

  /// Whether the object, saved before, has unsaved changes.
  public final var isUpdated: Bool {
    state.contains(.updated) && state.isDisjoint(with: [.inserted, .deleted])
  }

  /// Whether the next save deletes the object.
  public final var isDeleted: Bool { state.contains(.deleted) }

  /// Whether the object was inserted, changed or deleted since the last save.
  public final var hasChanges: Bool { !state.isDisjoint(with: .pending) }

  /// Whether the values are not there yet.
  public final var isFault: Bool { state.contains(.fault) }

  /// 0 when the object is fully there, else another number.
  public final var faultingState: Int { isFault ? 1 : 0 }

  /// Whether changes of properties that the model doesn't have are left to the class.
  open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

  // MARK: Moments of its life, for subclasses

  /// Called once, when the object was inserted; its default values are there.
  open func awakeFromInsert() {}

  /// Called when the object's values came from the store. Changes made here aren't tracked.
  open func awakeFromFetch() {}

  /// Called when values were taken back or merged: undo, redo, rollback and refreshing.
  open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}

  /// Called before the object becomes a fault again.
  open func willTurnIntoFault() {}

  /// Called after the object became a fault again.
  open func didTurnIntoFault() {}

  /// Called when the object is about to be deleted, before the deletion reaches others.
  open func prepareForDeletion() {}

  /// Called before the object is saved. Changing the object here makes it be called again.
  open func willSave() {}

  /// Called after the object was saved.
  open func didSave() {}

  // MARK: Its entity, for generated classes

  /// The entity whose objects are of this class.
  ///
  /// It is looked for in the models that a coordinator was made for. For a class that no entity of them
  /// names, or several do, it is a description without a name, of no use to fetch or insert.
  open class func entity() -> NSEntityDescription { ModelsInUse.shared.entity(of: self) }

  /// A request for the objects of this class.
  ///
  /// Generated classes have one of their own with their own type, which is preferred:
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

  /// The value of a property: an `NSNumber`, `String`, `Date`, `Data`, `UUID`, `URL`,
  /// `NSDecimalNumber`, an `NSManagedObject`, an `NSSet` or `NSOrderedSet` of them; nil for none.
  ///
  /// A name the model doesn't have goes to ``value(forUndefinedKey:)``.
  open func value(forKey key: String) -> Any? { readValue(forKey: key) }

  /// Sets the value of a property, and the inverse of a relationship.
  ///
  /// Takes any Swift or Foundation form of the property's type, for relationships also a `Set`, an
  /// `Array` or an ordered set; nil and `NSNull` for none. A value of another type is a programmer's
  /// error and traps. A number that an integer attribute has no room for counts modulo its width, and is whole, at
  /// once (40000 in an Integer 16 is -25536), which validation doesn't look for: as Core Data's stores have it. A name the model doesn't have goes to ``setValue(_:forUndefinedKey:)``.
  open func setValue(_ value: Any?, forKey key: String) { writeValue(value, forKey: key) }

  /// Called for a name the model doesn't have; traps unless a class overrides it.
  open func value(forUndefinedKey key: String) -> Any? {
    undefinedKey(key, in: "valueForUndefinedKey:")
  }

  /// Called for a name the model doesn't have; traps unless a class overrides it.
  open func setValue(_ value: Any?, forUndefinedKey key: String) {
    undefinedKey(key, in: "setValue:forUndefinedKey:")
  }

  /// To be called before a primitive value is read: fires the fault.
  open func willAccessValue(forKey key: String?) { wake() }

  /// To be called after a primitive value was read.
  open func didAccessValue(forKey key: String?) {}

  /// To be called before a primitive value is set.
  open func willChangeValue(forKey key: String) { beginChange(ofKey: key) }

  /// To be called after a primitive value was set; the inverse of a relationship follows it.
  open func didChangeValue(forKey key: String) { endChange(ofKey: key) }

  /// To be called before the set of a to-many relationship is changed as a primitive value.
  open func willChangeValue(
    forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
    using inObjects: Set<AnyHashable>
  ) {
    willChangeValue(forKey: inKey)
  }

  /// To be called after the set of a to-many relationship was changed as a primitive value.
  open func didChangeValue(
    forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
    using inObjects: Set<AnyHashable>
  ) {
    didChangeValue(forKey: inKey)
  }

  #if !canImport(ObjectiveC)
    /// The properties that another one is computed from, as classes say who have key-value observing know of it.
    ///
    /// Nobody asks here: who observes a property looks at its value after each change of the object, a computed one's
    /// too.
    ///
    /// - Returns: nothing, unless a class says otherwise.
    open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }
  #endif

  // MARK: Validation, for subclasses

  /// The class's own checks of single properties, which Core Data finds by their names.
  ///
  /// ```swift
  /// override class var propertyValidators: [String: PropertyValidator] {
  ///   ["age": PropertyValidator(Person.validateAge)]
  /// }
  ///
  /// func validateAge(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws { … }
  /// ```
  ///
  /// Each is called by ``validateValue(_:forKey:)`` when the value is right by the model.
  open class var propertyValidators: [String: PropertyValidator] { [:] }

  /// Whether validation asks ``validateValue(_:forKey:)`` for each property. False, unless the class has
  /// ``propertyValidators``, or overrides that method and says so: asking costs a call and a boxed value
  /// for each property of each object that is saved, and Swift can't tell whether the method was
  /// overridden.
  open class var validatesEachValue: Bool { !propertyValidators.isEmpty }

  /// Throws what is wrong with a value as the value of a property, by the model: whether it may be
  /// missing, the property's predicates, and how many objects a relationship may have.
  ///
  /// - Parameters:
  ///   - value: the value; an override may replace it by a better one.
  ///   - key: the property's name.
  open func validateValue(
    _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
  ) throws {
    guard let property = layout.propertiesByName[key] else { return }
    let errors = errors(of: value.pointee.map { $0 as Any }, for: property)
    if let error = CoreDataError.combined(errors) { throw error }
    try type(of: self).propertyValidators[key]?.check(self, value)
  }

  /// Throws what keeps the object from being inserted; a class that overrides it calls `super`.
  open func validateForInsert() throws {
    if let error = CoreDataError.combined(savingErrors()) { throw error }
  }

  /// Throws what keeps the object from being updated; a class that overrides it calls `super`.
  open func validateForUpdate() throws {
    if let error = CoreDataError.combined(savingErrors()) { throw error }
  }

  /// Throws what keeps the object from being deleted; a class that overrides it calls `super`.
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

  /// Objects are equal when they are one; a class can't change that.
  public final override func isEqual(_ object: Any?) -> Bool {
    guard let object else { return false }
    return sameClass(object).map { $0 === self } ?? (object as? NSManagedObject === self)
  }

  public final override var hash: Int {
    // Sets stir it well; it only has to tell objects apart.
    Int(bitPattern: ObjectIdentifier(self)) >> 4
  }

  private static func text(_ value: Any) -> String {
    switch value {
    case let text as String: "\"\(text)\""
    // Foundation ends the program over a date that is no number.
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
