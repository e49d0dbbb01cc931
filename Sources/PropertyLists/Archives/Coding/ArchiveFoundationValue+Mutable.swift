extension ArchiveFoundationValue {
  /// The value without the mark of a mutable class; the members of collections keep theirs.
  package var immutable: ArchiveFoundationValue {
    if case .mutable(let value) = self { value } else { self }
  }
}

extension ArchiveClass {
  /// The plain classes of which there are mutable ones.
  private static let mutableClasses = [
    "NSMutableArray", "NSMutableData", "NSMutableDictionary", "NSMutableOrderedSet", "NSMutableSet",
    "NSMutableString",
  ]

  /// Whether it is one of Foundation's mutable classes, or a subclass.
  var isMutable: Bool { Self.mutableClasses.contains { isKind(of: $0) } }

  /// The mutable subclass of one of Foundation's classes: `NSMutableArray` of `NSArray`.
  var mutableSubclass: ArchiveClass {
    let name = "NSMutable\(name.dropFirst(2))"
    return Self.mutableClasses.contains(name) ? ArchiveClass(name, self.name, "NSObject") : self
  }
}
