/// An archived object's class: its name, and the names of the classes it descends from.
public struct ArchiveClass: Hashable, Sendable {
  /// The class names, its own first: `NSMutableArray`, `NSArray`, `NSObject`.
  public let chain: [String]

  /// The class's own name.
  public var name: String { chain.first ?? "" }

  /// Creates a class from its name and its superclasses' names, nearest first.
  public init(_ chain: String...) {
    self.chain = chain
  }

  /// Creates a class from a chain of names, its own first.
  public init(chain: [String]) {
    self.chain = chain
  }

  /// Whether the class has the given name or descends from a class with that name.
  public func isKind(of name: String) -> Bool {
    chain.contains(name)
  }
}

extension ArchiveClass: CustomStringConvertible {
  /// The chain, written as in a declaration: `NSMutableArray < NSArray < NSObject`.
  public var description: String { chain.joined(separator: " < ") }
}
