import Foundation
import ManagedModel

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
  package final let layout: EntityLayout
  package final var identity: NSManagedObjectID
  // Objects don't keep their context: it clears this when it lets them go.
  package final unowned(unsafe) var context: NSManagedObjectContext?
  /// The values by slot; empty for a fault whose row isn't at hand.
  package final var values: [StoredValue] = []
  /// The values the store has; empty for an object that was never saved.
  package final var committed: [StoredValue] = []
  /// How often the row was saved.
  package final var version: Int64 = 0
  package final var state: ObjectState = []
  /// The values at the beginning of the present event.
  final var eventValues: [StoredValue]?
  /// The to-many relationships that were touched, by slot.
  package final var toManys: [ToManyMembers?] = []
  /// What fetched properties gave, until the object is refreshed, and values between
  /// `willChangeValue` and `didChangeValue`.
  final var scratch: Scratch?

  /// What few objects have.
  final class Scratch {
    var fetched: [String: [NSManagedObject]] = [:]
    var valuesBeforeChange: [String: Any?] = [:]
    var assignedStore: NSPersistentStore?
  }

  /// Makes an object of `entity` and inserts it into `context`.
  ///
  /// Without a context the object is unattached: it has the model's default values, and
  /// ``NSManagedObjectContext/insert(_:)`` can take it in later.
  public required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    if let seed = ObjectSeed.take() {
      layout = seed.layout
      identity = seed.identity
      self.context = seed.context
      state = .fault
      super.init()
      return
    }
    guard let layout = context?.layout(of: entity) ?? Self.layout(of: entity) else {
      preconditionFailure(
        "-[NSManagedObject initWithEntity:insertIntoManagedObjectContext:]: the entity "
          + "'\(entity.name ?? "")' belongs to no model, or to another than the context's")
    }
    self.layout = layout
    identity = NSManagedObjectID(temporaryFor: layout)
    values = layout.defaultValues
    super.init()
    context?.insert(self)
  }

  /// Makes an object of the entity whose class this is, and inserts it into `context`.
  ///
  /// The class must stand for exactly one entity of the context's model.
  public convenience init(context: NSManagedObjectContext) {
    let type = Self.self
    ManagedClasses.shared.register(type)
    guard let layout = context.modelLayout?.entity(of: type) else {
      preconditionFailure(
        "-[\(type) initWithContext:]: not exactly one entity of the context's model is of the "
          + "class '\(type)'")
    }
    self.init(entity: layout.entity, insertInto: context)
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

  // MARK: Validation, for subclasses

  /// Throws what keeps the object from being inserted; a class that overrides it calls `super`.
  open func validateForInsert() throws {
    if let error = CoreDataError.combined(validationErrors()) { throw error }
  }

  /// Throws what keeps the object from being updated; a class that overrides it calls `super`.
  open func validateForUpdate() throws {
    if let error = CoreDataError.combined(validationErrors()) { throw error }
  }

  /// Throws what keeps the object from being deleted; a class that overrides it calls `super`.
  open func validateForDelete() throws {
    if let error = CoreDataError.combined(denialErrors()) { throw error }
  }

  // MARK: NSObject

  open override var description: String {
    let id = identity.description
    let address = String(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()), radix: 16)
    return "<\(type(of: self)): 0x\(address)> (entity: \(layout.name); id: \(id); "
      + "data: \(isFault ? "<fault>" : dataDescription))"
  }

  open override var debugDescription: String { description }

  /// Objects are equal when they are one; a class can't change that.
  public final override func isEqual(_ object: Any?) -> Bool {
    guard let object = object as? NSManagedObject else { return false }
    return object === self
  }

  public final override var hash: Int { ObjectIdentifier(self).hashValue }

  private var dataDescription: String {
    var lines: [String] = []
    for property in layout.propertiesByName.values.sorted(by: { $0.name < $1.name }) {
      let text: String
      switch property.kind {
      case .attribute(let type):
        let value = AttributeCodec.object(values[property.slot], type: type)
        text = value.map { ($0 as? String).map { "\"\($0)\"" } ?? "\($0)" } ?? "nil"
      case .toOne: text = values[property.slot].reference.map { "\"\($0)\"" } ?? "nil"
      case .toMany:
        let members = toManys.isEmpty ? nil : toManys[property.slot]
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
