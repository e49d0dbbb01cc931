/// Classes of a program by names that aren't Swift's: what `@objc(Name)` is with the Objective-C runtime.
///
/// Nothing needs to be registered or called: the adopting class is found by its own name, which has to begin
/// with `NamedClasses_`. `momtool port` writes one for the classes of each source.
///
/// ```swift
/// final class NamedClasses_Model: NamedClasses {
///   static var classesByName: [String: AnyClass] { ["PersonMO": Person.self] }
/// }
/// ```
public protocol NamedClasses: AnyObject {
  /// The classes, each by the name that models and archives may give it.
  static var classesByName: [String: AnyClass] { get }
}
