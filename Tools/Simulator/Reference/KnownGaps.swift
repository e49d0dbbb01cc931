/// Where the library is known to differ: the reference leaves these undecided until they are mended, so that
/// others are found. An entry goes when its finding does.
enum KnownGaps {
  /// S1: an object whose changes a refresh dropped is saved twice.
  static let refreshingUpdates = false
  /// S2: refreshing an insertion that has a lasting identity empties it.
  static let refreshingInsertions = true
  /// Saving when all that happened is that an insertion was deleted again.
  static let savingNothing = true
  /// B1: identities as constants, where objects are evaluated in memory.
  static let identitiesInMemory = true
  /// Comparing with `!=` where there is no value.
  static let unequalToNothing = true
  /// A8: stores of one save are written one after the other.
  static let severalStores = true
  /// B2: merging into a changed object leaves its to-many relationships as they were.
  static let mergingMembers = false
  /// A12: metadata are lost unless objects change too.
  static let metadataAlone = true
  /// B8, S6: a child's objects keep identities from before they were saved.
  static let childIdentities = true
  /// S5: a child sees no members of what its parent hasn't saved.
  static let membersOfUnsaved = false
  /// B3: an updated object that fits isn't found by a fetch with a limit.
  static let limitsAndUpdates = false
  /// B12: an ordered relationship that is its own inverse.
  static let orderedMirrors = false
  /// S3: a derived count of a relationship that leads to the object itself.
  static let derivedCounts = true
  /// S4: a position that stays where its reference went.
  static let orderKeys = true
  /// S9: the store in memory counts an object that was saved without a difference as written.
  static let versionsInMemory = true
}
