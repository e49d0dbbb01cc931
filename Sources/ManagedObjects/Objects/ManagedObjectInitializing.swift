import DataModels

/// Initializers of classes that are known only when the program runs, supplied by a protocol extension: Swift
/// calls nothing else but `required` initializers on a type such as `Self`. Not to be adopted.
///
/// ```swift
/// extension Findable where Self: NSManagedObject {
///   static func make(in context: NSManagedObjectContext) -> Self { Self(context: context) }
/// }
/// ```
///
/// With the Objective-C runtime these are the class's own initializers; here a class need not declare them
/// `required`.
public protocol ManagedObjectInitializing {}

extension NSManagedObject: ManagedObjectInitializing {}

extension ManagedObjectInitializing where Self: NSManagedObject {
  /// Makes an object of the entity whose class this is, and inserts it into `context`.
  ///
  /// The class must stand for exactly one entity of the context's model.
  public init(context: NSManagedObjectContext) {
    guard let layout = context.layout(of: Self.self) else {
      preconditionFailure(
        "-[\(Self.self) initWithContext:]: not exactly one entity of the context's model is of the "
          + "class '\(Self.self)'")
    }
    self.init(ManagedObjectOrigin(layout, context: context))
  }

  /// Makes an object of `entity` and inserts it into `context`, if there is one.
  public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    let known =
      context?.layout(of: entity) ?? entity.owningModel.flatMap { ModelLayout.of($0)[entity] }
    guard let layout = known else {
      preconditionFailure(
        "-[\(Self.self) initWithEntity:insertIntoManagedObjectContext:]: the entity "
          + "'\(entity.name ?? "")' belongs to no model, or to another than the context's")
    }
    self.init(ManagedObjectOrigin(layout, context: context))
  }
}
