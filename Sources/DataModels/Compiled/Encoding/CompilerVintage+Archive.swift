import PropertyLists

extension CompilerVintage {
  /// The rules for sharing equal strings and numbers, and for the order of dictionaries.
  var archiveStyle: ArchiveStyle {
    var style = ModelClasses.style
    style.hasWideTop = self == .modern || self == .xcode12
    style.sharesClassNames = self == .modern || self == .xcode11 || self == .xcode8
    if is32Bit {
      style.has32BitHashes = true
      style.tagsShortTexts = false
      style.numberSharing = self == .xcode6 ? .smallIntegers : .smallIntegersAndObjects
    }
    return style
  }

  /// Whether momc was a 32-bit program.
  var is32Bit: Bool { self == .xcode6 || self == .xcode7 }

  /// Whether the dictionaries of properties and subentities are copied once more.
  var copiesMembers: Bool { is32Bit || self == .xcode8 }

  /// Whether indexes are archived as objects, as introduced by Xcode 9.
  var hasFetchIndexes: Bool { !copiesMembers }

  /// Whether equal selector names in predicates share one object.
  var sharesSelectors: Bool { archiveStyle.sharesClassNames }
}
