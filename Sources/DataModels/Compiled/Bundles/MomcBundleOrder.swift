import PropertyLists

/// The orders of names in the dictionaries that momc fills for a bundle.
enum MomcBundleOrder {
  /// Sorts names as momc does initially.
  static func sorted(_ names: [String]) -> [String] {
    MomcDictionaryOrder.sortedByName(names).map { names[$0] }
  }

  /// The order after inserting the names into a dictionary one by one.
  static func grown(_ names: [String]) -> [String] {
    CoreFoundationOrder.grown(names).map { names[$0] }
  }

  /// The order of a version's entities in `VersionInfo.plist`: that of the model's dictionary, copied twice.
  static func versionHashOrder(_ names: [String]) -> [String] {
    sized(sized(MomcDictionaryOrder().entities(names).map { names[$0] }))
  }

  /// The order after creating a dictionary for all names at once.
  private static func sized(_ names: [String]) -> [String] {
    CoreFoundationOrder.sized(names).map { names[$0] }
  }
}
