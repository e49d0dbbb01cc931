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

    /// A selector of that name.
    public init(_ name: String) { self.name = name }

    /// A selector of that name.
    public init(stringLiteral name: String) { self.name = name }

    /// The name.
    public var description: String { name }
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
