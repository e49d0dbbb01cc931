import Foundation

/// What `NSPredicate` lacks on Linux, supplied by a protocol extension: Swift prefers these members
/// to the ones that Foundation marks unavailable there.
///
/// Not to be adopted: `NSPredicate` does, and with it every predicate class.
public protocol PredicateFormatting {}

extension NSPredicate: PredicateFormatting {}

extension PredicateFormatting {
  /// A predicate from a format string and its arguments.
  ///
  /// ```swift
  /// let adults = NSPredicate(format: "age >= %d AND name BEGINSWITH[cd] %@", 18, "a")
  /// ```
  ///
  /// For text from outside the program use `parsing(_:arguments:)`, which throws.
  ///
  /// - Precondition: The format is correct and fits its arguments; otherwise the program stops with
  ///   a message that says where the mistake is, as Foundation raises an exception.
  public init(format: String, _ arguments: Any?...) {
    self.init(trusting: format, arguments)
  }

  /// A predicate from a format string and an array of arguments: numbers, strings, dates, arrays,
  /// and any other objects.
  ///
  /// - Precondition: As for ``init(format:_:)``.
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

  /// A predicate from text that came from outside the program.
  ///
  /// - Throws: ``PredicateFormatError`` with the column of the mistake and what was expected.
  public init(parsing format: String, arguments: [Any] = []) throws {
    let tree = try PredicateTree(
      parsing: format, arguments: arguments.map(PredicateValue.init(bridging:)))
    self.init(adopting: tree.predicate, caller: "init(parsing:)")
  }

  /// The predicate that a tree describes.
  public init(_ tree: PredicateTree) {
    self.init(adopting: tree.predicate, caller: "init(_:)")
  }

  /// Returns another object in the place of the one that would be made. Only a caller that names a
  /// subclass, such as `NSCompoundPredicate(format:)`, can ask for what the text is not.
  private init(adopting predicate: NSPredicate, caller: String) {
    guard let adopted = predicate as? Self else {
      preconditionFailure(
        "\(Self.self).\(caller): the predicate \(predicate) is not of that class; use NSPredicate")
    }
    self = adopted
  }
}
