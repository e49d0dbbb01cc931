import DataModels

/// The argument MomKit passes to create an instance of a managed object class; for internal use.
///
/// Only the class's metatype is known when a row is read, and Swift can call nothing but `required` initializers on
/// it. Classes inherit this one as long as they have `init(entity:insertInto:)`, their own or inherited, so theirs
/// needn't be `required`.
public struct ManagedObjectOrigin {
  // Unretained: the caller that makes the object keeps both alive meanwhile.
  private let layout: Unmanaged<EntityLayout>
  private let givenContext: Unmanaged<NSManagedObjectContext>?

  init(_ layout: EntityLayout, context: NSManagedObjectContext?) {
    self.layout = .passUnretained(layout)
    givenContext = context.map { .passUnretained($0) }
  }

  var entity: NSEntityDescription { layout._withUnsafeGuaranteedRef { $0.entity } }
  var context: NSManagedObjectContext? { givenContext?.takeUnretainedValue() }
}
