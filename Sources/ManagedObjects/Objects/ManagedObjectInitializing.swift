import DataModels

/// Initializers of classes that are known only at run time, supplied by a protocol extension because Swift can call
/// nothing but `required` initializers on a type such as `Self`. Don't adopt this protocol.
///
/// ```swift
/// extension Findable where Self: NSManagedObject {
///   static func make(in context: NSManagedObjectContext) -> Self { Self(context: context) }
/// }
/// ```
///
/// With the Objective-C runtime these are the class's own initializers; here a class needn't declare them `required`.
public protocol ManagedObjectInitializing {}

extension NSManagedObject: ManagedObjectInitializing {}

extension ManagedObjectInitializing where Self: NSManagedObject {
  /// Creates an object of the entity that this class represents, and inserts it into `context`.
  ///
  /// The class must represent exactly one entity of the context's model.
  public init(context: NSManagedObjectContext) {
    guard let layout = context.layout(of: Self.self) else {
      preconditionFailure(
        "-[\(Self.self) initWithContext:]: the context's model doesn't have exactly one entity with the "
          + "class '\(Self.self)'")
    }
    self.init(ManagedObjectOrigin(layout, context: context))
  }

  /// Creates an object of `entity` and inserts it into `context`, if there is one.
  public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    let known =
      context?.layout(of: entity) ?? entity.owningModel.flatMap { ModelLayout.of($0)[entity] }
    guard let layout = known else {
      preconditionFailure(
        "-[\(Self.self) initWithEntity:insertIntoManagedObjectContext:]: the entity "
          + "'\(entity.name ?? "")' belongs to no model, or not to the context's")
    }
    self.init(ManagedObjectOrigin(layout, context: context))
  }
}
