import PropertyLists

extension CompilerVintage {
  /// Which equal texts and numbers are one object, and how dictionaries are ordered.
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

  /// Whether momc was a program of 32 bits.
  var is32Bit: Bool { self == .xcode6 || self == .xcode7 }

  /// Whether the dictionaries of properties and subentities were copied once more.
  var copiesMembers: Bool { is32Bit || self == .xcode8 }

  /// Whether indexes are archived as objects, which Xcode 9 brought.
  var hasFetchIndexes: Bool { !copiesMembers }

  /// Whether names of selectors in predicates are one object for each text.
  var sharesSelectors: Bool { archiveStyle.sharesClassNames }
}
