#if !canImport(ObjectiveC)
  /// The name of a method, for APIs that take a selector; Linux has no such type.
  ///
  /// ```swift
  /// NSSortDescriptor(key: "name", ascending: true, selector: Selector("caseInsensitiveCompare:"))
  /// NSSortDescriptor(key: "name", ascending: true, selector: .localizedStandardCompare)
  /// ```
  public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name, including colons.
    public let name: String
    private let method: SelectedMethod?

    /// Creates a selector from a name.
    public init(_ name: String) {
      self.name = name
      method = nil
    }

    /// Creates a selector from a name.
    public init(stringLiteral name: String) { self.init(name) }

    /// Creates a selector that refers to its method, since methods can't be found by name here. It replaces
    /// `#selector`, which requires the Objective-C runtime.
    public init<Object>(_ name: String, calls method: @escaping (Object) -> Void) {
      self.name = name
      self.method = SelectedMethod { object, _ in
        guard let object = object as? Object else { return false }
        method(object)
        return true
      }
    }

    /// Creates a selector that refers to its method, which takes an argument such as a notification.
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

    /// Calls the method on an object; returns false if the selector has no method, or the method is for another class.
    @discardableResult
    public func call(on object: Any, with argument: Any? = nil) -> Bool {
      method?.call(object, argument) ?? false
    }

    /// The name.
    public var description: String { name }

    /// Whether the names are the same.
    public static func == (left: Selector, right: Selector) -> Bool { left.name == right.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// A method of the program, called where a selector would be. As in Objective-C, the program is responsible for
  /// calling it only where the method may run.
  private final class SelectedMethod: @unchecked Sendable {
    // Sendable: immutable.
    let call: (Any, Any?) -> Bool

    init(_ call: @escaping (Any, Any?) -> Bool) { self.call = call }
  }
#endif

extension Selector {
  /// `compare:`: the natural order of the values.
  public static let compare: Selector = "compare:"
  /// `caseInsensitiveCompare:`: strings, ignoring case.
  public static let caseInsensitiveCompare: Selector = "caseInsensitiveCompare:"
  /// `localizedCompare:`: strings, according to the current locale.
  public static let localizedCompare: Selector = "localizedCompare:"
  /// `localizedCaseInsensitiveCompare:`: strings, according to the current locale and ignoring case.
  public static let localizedCaseInsensitiveCompare: Selector = "localizedCaseInsensitiveCompare:"
  /// `localizedStandardCompare:`: strings, as sorted by file browsers, with numbers compared by value.
  public static let localizedStandardCompare: Selector = "localizedStandardCompare:"
}
