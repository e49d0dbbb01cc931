import DataModels

/// What MomKit makes an object of a class from; for internal use.
///
/// A class is known as a type only when a row is read, and Swift calls nothing but `required`
/// initializers on such a type. Classes inherit this one, as long as they have
/// `init(entity:insertInto:)` of their own or inherited, so theirs needs no `required`.
public struct ManagedObjectOrigin {
  // Whoever makes an object keeps both meanwhile: they aren't counted on the way.
  private let layout: Unmanaged<EntityLayout>
  private let givenContext: Unmanaged<NSManagedObjectContext>?

  init(_ layout: EntityLayout, context: NSManagedObjectContext?) {
    self.layout = .passUnretained(layout)
    givenContext = context.map { .passUnretained($0) }
  }

  var entity: NSEntityDescription { layout._withUnsafeGuaranteedRef { $0.entity } }
  var context: NSManagedObjectContext? { givenContext?.takeUnretainedValue() }
}
