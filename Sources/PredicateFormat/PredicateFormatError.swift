/// Why a text was not understood, or a predicate could not be answered.
///
/// ```swift
/// do {
///   _ = try PredicateTree(parsing: "age >")
/// } catch {
///   print(error)  // column 6: expected an expression, found the end of the text
/// }
/// ```
public struct PredicateFormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of failure it is; more may be added.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's name.
    public let rawValue: String

    /// Makes a code of its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The text doesn't follow the grammar.
    public static let syntax = Code(rawValue: "syntax")
    /// The text or tree is nested deeper than ``PredicateLimits`` allow.
    public static let tooDeep = Code(rawValue: "too-deep")
    /// The text or value is bigger than ``PredicateLimits`` allow.
    public static let tooLarge = Code(rawValue: "too-large")
    /// A function the language doesn't have.
    public static let unknownFunction = Code(rawValue: "unknown-function")
    /// A function got too few or too many arguments.
    public static let argumentCount = Code(rawValue: "argument-count")
    /// The format's `%` specifiers and the arguments given don't fit.
    public static let formatArguments = Code(rawValue: "format-arguments")
    /// An operator or function got values it can't work on.
    public static let typeMismatch = Code(rawValue: "type-mismatch")
    /// A division by zero.
    public static let arithmetic = Code(rawValue: "arithmetic")
    /// A `$VARIABLE` has no value.
    public static let missingVariable = Code(rawValue: "missing-variable")
    /// An object has no such key.
    public static let undefinedKey = Code(rawValue: "undefined-key")
    /// A regular expression is wrong.
    public static let badPattern = Code(rawValue: "bad-pattern")
    /// A pattern took too long on a string.
    public static let patternTimeout = Code(rawValue: "pattern-timeout")
    /// Something that can be parsed but not evaluated here.
    public static let unsupported = Code(rawValue: "unsupported")
  }

  /// What kind of failure it is.
  public var code: Code
  /// What is wrong, and what was expected, in one sentence without a full stop.
  public var message: String
  /// Where in the text, counted in characters from 1; nil when it isn't about a text.
  public var column: Int?

  /// Makes an error.
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
