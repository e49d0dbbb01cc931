import Foundation

/// Provides the methods that `NSPredicate` lacks on Linux. As members of a protocol extension, they take precedence
/// over those that Foundation marks as unavailable there.
///
/// Don't adopt this protocol: `NSPredicate` does, and therefore all predicate classes.
public protocol PredicateFormatting {}

extension NSPredicate: PredicateFormatting {}

extension PredicateFormatting {
  /// Creates a predicate from a format string and its arguments.
  ///
  /// ```swift
  /// let adults = NSPredicate(format: "age >= %d AND name BEGINSWITH[cd] %@", 18, "a")
  /// ```
  ///
  /// For untrusted text, use `parsing(_:arguments:)`, which throws.
  ///
  /// - Precondition: The format is valid and matches its arguments; otherwise the program stops with a message that
  ///   gives the location of the error, where Foundation raises an exception.
  public init(format: String, _ arguments: CVarArg...) {
    self.init(trusting: format, arguments)
  }

  /// Creates a predicate from a format string and arguments of any type, nil included.
  ///
  /// The first choice is the initializer above, as Core Data's only takes `CVarArg`s: beside parameters that are optional
  /// the compiler would make a closure's `$0` an optional too, and texts like `"n\($0)"` would say so.
  ///
  /// - Precondition: As for `init(format:_:)`.
  @_disfavoredOverload
  public init(format: String, _ arguments: Any?...) {
    self.init(trusting: format, arguments)
  }

  /// Creates a predicate from a format string and an array of arguments: numbers, strings, dates, arrays, and any other
  /// objects.
  ///
  /// - Precondition: As for `init(format:_:)`.
  public init(format: String, argumentArray: [Any]?) {
    self.init(trusting: format, argumentArray ?? [])
  }

  private init(trusting format: String, _ arguments: [Any?]) {
    let tree: PredicateTree
    do {
      tree = try PredicateTree(
        parsing: format, arguments: arguments.map(PredicateValue.init(bridging:)),
        allowingUnused: true)
    } catch {
      preconditionFailure("Unable to parse the format string \"\(format)\": \(error)")
    }
    self.init(adopting: tree.predicate, caller: "init(format:)")
  }

  /// Creates a predicate from untrusted text.
  ///
  /// - Throws: ``PredicateFormatError`` with the column of the error and what was expected.
  public init(parsing format: String, arguments: [Any] = []) throws {
    let tree = try PredicateTree(
      parsing: format, arguments: arguments.map(PredicateValue.init(bridging:)))
    self.init(adopting: tree.predicate, caller: "init(parsing:)")
  }

  /// Creates a predicate from a tree.
  public init(_ tree: PredicateTree) {
    self.init(adopting: tree.predicate, caller: "init(_:)")
  }

  /// Returns an existing object instead of creating one. This fails only if the caller names a subclass, as in
  /// `NSCompoundPredicate(format:)`, and the text describes another kind of predicate.
  private init(adopting predicate: NSPredicate, caller: String) {
    guard let adopted = predicate as? Self else {
      preconditionFailure(
        "\(Self.self).\(caller): the predicate \(predicate) is not of that class; use NSPredicate")
    }
    self = adopted
  }
}
