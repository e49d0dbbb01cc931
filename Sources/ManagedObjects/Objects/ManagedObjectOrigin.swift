import ManagedModel

/// What MomKit makes an object of a class from; for internal use.
///
/// A class is known as a type only when a row is read, and Swift calls nothing but `required`
/// initializers on such a type. Classes inherit this one, as long as they have
/// `init(entity:insertInto:)` of their own or inherited, so theirs needs no `required`.
public struct ManagedObjectOrigin {
  let layout: EntityLayout
  let context: NSManagedObjectContext?
}
