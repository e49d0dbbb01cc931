/// An archived object's class: its name, and the names of the classes it descends from.
public struct ArchiveClass: Hashable, Sendable {
  /// The names, the class's own first: `NSMutableArray`, `NSArray`, `NSObject`.
  public let chain: [String]

  /// The class's own name.
  public var name: String { chain.first ?? "" }

  /// Makes a class of its name and its superclasses' names, the nearest first.
  public init(_ chain: String...) {
    self.chain = chain
  }

  /// Makes a class of a chain of names, its own first.
  public init(chain: [String]) {
    self.chain = chain
  }

  /// Whether the class has a name or descends from the class of that name.
  public func isKind(of name: String) -> Bool {
    chain.contains(name)
  }
}

extension ArchiveClass: CustomStringConvertible {
  /// The chain, as a declaration would have it: `NSMutableArray < NSArray < NSObject`.
  public var description: String { chain.joined(separator: " < ") }
}
