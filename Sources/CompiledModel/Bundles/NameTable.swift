import KeyedArchive

/// The order of names in the dictionaries that momc fills.
enum NameTable {
  /// Names as momc sorts them before it does anything: without regard to case.
  static func sorted(_ names: [String]) -> [String] {
    let keyed = names.map { (folded: $0.lowercased(), name: $0) }
    let ordered = keyed.sorted { left, right in
      left.folded == right.folded
        ? precedes(left.name, right.name) : precedes(left.folded, right.folded)
    }
    return ordered.map(\.name)
  }

  private static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  /// The order after filling a dictionary name by name.
  static func grown(_ names: [String]) -> [String] {
    CoreFoundationOrder.grown(names).map { names[$0] }
  }

  /// The order after making a dictionary for all names at once.
  static func sized(_ names: [String]) -> [String] {
    CoreFoundationOrder.sized(names).map { names[$0] }
  }

  /// The order of a version's entities in `VersionInfo.plist`.
  static func versionHashOrder(_ names: [String]) -> [String] {
    sized(sized(grown(grown(sorted(names)))))
  }
}
