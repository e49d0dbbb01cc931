/// An error in parsing a text or evaluating a predicate.
///
/// ```swift
/// do {
///   _ = try PredicateTree(parsing: "age >")
/// } catch {
///   print(error)  // column 6: expected an expression, found the end of the text
/// }
/// ```
public struct PredicateFormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure. More may be added.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's name.
    public let rawValue: String

    /// Creates a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The text doesn't follow the grammar.
    public static let syntax = Code(rawValue: "syntax")
    /// The text or tree is nested more deeply than ``PredicateLimits`` allow.
    public static let tooDeep = Code(rawValue: "too-deep")
    /// The text or value is larger than ``PredicateLimits`` allow.
    public static let tooLarge = Code(rawValue: "too-large")
    /// A function that the language doesn't have.
    public static let unknownFunction = Code(rawValue: "unknown-function")
    /// A function got too few or too many arguments.
    public static let argumentCount = Code(rawValue: "argument-count")
    /// The format's `%` specifiers don't match the arguments.
    public static let formatArguments = Code(rawValue: "format-arguments")
    /// An operator or function was applied to values of the wrong type.
    public static let typeMismatch = Code(rawValue: "type-mismatch")
    /// A division by zero.
    public static let arithmetic = Code(rawValue: "arithmetic")
    /// A `$VARIABLE` is unbound.
    public static let missingVariable = Code(rawValue: "missing-variable")
    /// An object has no such key.
    public static let undefinedKey = Code(rawValue: "undefined-key")
    /// A regular expression is invalid.
    public static let badPattern = Code(rawValue: "bad-pattern")
    /// Matching a pattern took too long.
    public static let patternTimeout = Code(rawValue: "pattern-timeout")
    /// Something that can be parsed, but not evaluated here.
    public static let unsupported = Code(rawValue: "unsupported")
  }

  /// The kind of failure.
  public var code: Code
  /// What is wrong, and what was expected, in one sentence without a full stop.
  public var message: String
  /// The column in the text, counted in characters from 1; nil if the error isn't about a text.
  public var column: Int?

  /// Creates an error.
  public init(_ code: Code, _ message: String, column: Int? = nil) {
    self.code = code
    self.message = message
    self.column = column
  }

  /// `column 6: expected an expression`, or only the message.
  public var description: String {
    column.map { "column \($0): \(message)" } ?? message
  }
}
