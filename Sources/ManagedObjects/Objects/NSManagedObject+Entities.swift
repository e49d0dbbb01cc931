import DataModels
import Foundation

/// Classes and their entities.
extension ManagedObjectInitializing where Self: NSManagedObject {
  /// Registers the class under its name, so that objects of entities with that class name are instances of it.
  ///
  /// `Person(context:)` and a fetch with `NSFetchRequest<Person>` register the class automatically. Call this only in
  /// a program that first encounters the class's objects in another way.
  public static func register() { ObjectClassRegistry.shared.register(self) }
}

extension NSEntityDescription {
  /// The entity with a name in the context's model; nil if there is none.
  public static func entity(
    forEntityName entityName: String, in context: NSManagedObjectContext
  ) -> NSEntityDescription? {
    context.modelLayout?[entityName]?.entity
  }

  /// Creates an object of the entity with a name, and inserts it into `context`.
  ///
  /// A name that isn't in the context's model is a programmer error and traps.
  public static func insertNewObject(
    forEntityName entityName: String, into context: NSManagedObjectContext
  ) -> NSManagedObject {
    guard let layout = context.modelLayout?[entityName] else {
      preconditionFailure(
        "+[NSEntityDescription insertNewObjectForEntityName:inManagedObjectContext:]: "
          + "+entityForName: could not locate an entity named '\(entityName)' in this model.")
    }
    return ObjectHandoff.makeObject(of: layout, in: context)
  }
}

extension NSManagedObjectContext {
  /// The implementation of ``assign(_:to:)``.
  final func place(_ object: Any, in store: NSPersistentStore) {
    guard let object = object as? NSManagedObject else { return }
    precondition(
      object.isTemporary || object.isIn(store.reference),
      "-[NSManagedObjectContext assignObject:toPersistentStore:]: Can't reassign an object to a "
        + "different store once it has been saved.")
    // No fetch would find its row.
    precondition(
      store.holds(object.layout),
      "-[NSManagedObjectContext assignObject:toPersistentStore:]: Can't assign an object to a store "
        + "that does not contain the object's entity.")
    object.keepAssignment(to: store)
  }
}

extension NSManagedObject {
  /// Records the store that the object will be in.
  final func keepAssignment(to store: NSPersistentStore) {
    let scratch = scratch ?? Scratch()
    scratch.assignedStore = store
    self.scratch = scratch
  }
}
