#if !canImport(ObjectiveC)
  /// The name of a method, for the interfaces that take one; Linux has no such type.
  ///
  /// ```swift
  /// NSSortDescriptor(key: "name", ascending: true, selector: Selector("caseInsensitiveCompare:"))
  /// NSSortDescriptor(key: "name", ascending: true, selector: .localizedStandardCompare)
  /// ```
  public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name, colons included.
    public let name: String
    private let method: SelectedMethod?

    /// A selector of that name.
    public init(_ name: String) {
      self.name = name
      method = nil
    }

    /// A selector of that name.
    public init(stringLiteral name: String) { self.init(name) }

    /// A selector that knows its method, which nothing finds by its name here: what `#selector` is with
    /// the Objective-C runtime.
    public init<Object>(_ name: String, calls method: @escaping (Object) -> Void) {
      self.name = name
      self.method = SelectedMethod { object, _ in
        guard let object = object as? Object else { return false }
        method(object)
        return true
      }
    }

    /// A selector that knows its method, with an argument such as a notification.
    public init<Object, Argument>(
      _ name: String, calls method: @escaping (Object, Argument) -> Void
    ) {
      self.name = name
      self.method = SelectedMethod { object, argument in
        guard let object = object as? Object, let argument = argument as? Argument else {
          return false
        }
        method(object, argument)
        return true
      }
    }

    /// Calls the method for an object; false when the selector doesn't know it, or for another class.
    @discardableResult
    public func call(on object: Any, with argument: Any? = nil) -> Bool {
      method?.call(object, argument) ?? false
    }

    /// The name.
    public var description: String { name }

    /// Whether the names are the same.
    public static func == (left: Selector, right: Selector) -> Bool { left.name == right.name }

    /// Follows the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// A method of the program's, called wherever a selector is: as in Objective-C, it is for the program to do
  /// that where the method may run.
  private final class SelectedMethod: @unchecked Sendable {
    // Sendable: never changed once it is made.
    let call: (Any, Any?) -> Bool

    init(_ call: @escaping (Any, Any?) -> Bool) { self.call = call }
  }
#endif

extension Selector {
  /// `compare:`: the value's own order.
  public static let compare: Selector = "compare:"
  /// `caseInsensitiveCompare:`: strings by their characters, upper and lower case equal.
  public static let caseInsensitiveCompare: Selector = "caseInsensitiveCompare:"
  /// `localizedCompare:`: strings as the current locale orders them.
  public static let localizedCompare: Selector = "localizedCompare:"
  /// `localizedCaseInsensitiveCompare:`: likewise, upper and lower case equal.
  public static let localizedCaseInsensitiveCompare: Selector = "localizedCaseInsensitiveCompare:"
  /// `localizedStandardCompare:`: as file browsers order names, numbers by value.
  public static let localizedStandardCompare: Selector = "localizedStandardCompare:"
}
