import PropertyLists

/// The orders of names in the dictionaries that momc fills for a bundle.
enum MomcBundleOrder {
  /// Names as momc sorts them before it does anything.
  static func sorted(_ names: [String]) -> [String] {
    MomcDictionaryOrder.sortedByName(names).map { names[$0] }
  }

  /// The order after filling a dictionary name by name.
  static func grown(_ names: [String]) -> [String] {
    CoreFoundationOrder.grown(names).map { names[$0] }
  }

  /// The order of a version's entities in `VersionInfo.plist`: the model's own, copied twice.
  static func versionHashOrder(_ names: [String]) -> [String] {
    sized(sized(MomcDictionaryOrder().entities(names).map { names[$0] }))
  }

  /// The order after making a dictionary for all names at once.
  private static func sized(_ names: [String]) -> [String] {
    CoreFoundationOrder.sized(names).map { names[$0] }
  }
}
