import DataModels
import Foundation

/// Classes and their entities.
extension NSManagedObject {
  /// Makes the class known under its name, so that objects of entities that name it are of it.
  ///
  /// A class becomes known by itself with `Person(context:)` or a fetch of `NSFetchRequest<Person>`;
  /// only a program that meets objects of a class in another way first needs this.
  public static func register() { ObjectClassRegistry.shared.register(self) }
}

extension NSEntityDescription {
  /// The entity of a name in the context's model; nil when there is none.
  public static func entity(
    forEntityName entityName: String, in context: NSManagedObjectContext
  ) -> NSEntityDescription? {
    context.modelLayout?[entityName]?.entity
  }

  /// Makes an object of the entity of a name, inserted into `context`.
  ///
  /// A name the context's model doesn't have is a programmer's error and traps.
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
  /// Says which store a new object goes to; without it, to the first that takes its entity.
  ///
  /// A store whose configuration doesn't have the object's entity is a programmer's error and traps, as is another
  /// store for an object that was saved.
  public final func assign(_ object: Any, to store: NSPersistentStore) {
    guard let object = object as? NSManagedObject else { return }
    precondition(
      object.identity.isTemporaryID || object.identity.persistentStore === store,
      "-[NSManagedObjectContext assignObject:toPersistentStore:]: Can't reassign an object to a "
        + "different store once it has been saved.")
    // Its row would be one that no fetch finds.
    precondition(
      store.holds(object.layout),
      "-[NSManagedObjectContext assignObject:toPersistentStore:]: Can't assign an object to a store "
        + "that does not contain the object's entity.")
    let scratch = object.scratch ?? NSManagedObject.Scratch()
    scratch.assignedStore = store
    object.scratch = scratch
  }
}
