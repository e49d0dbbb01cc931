/// Classes with names other than their Swift names, like `@objc(Name)` with the Objective-C runtime.
///
/// Nothing needs to be registered or called: the adopting class is found by its own name, which must begin with
/// `NamedClasses_`. `momtool port` writes one for the classes of each source file.
///
/// ```swift
/// final class NamedClasses_Model: NamedClasses {
///   static var classesByName: [String: AnyClass] { ["PersonMO": Person.self] }
/// }
/// ```
public protocol NamedClasses: AnyObject {
  /// The classes by the names that models and archives may use for them.
  static var classesByName: [String: AnyClass] { get }
}
