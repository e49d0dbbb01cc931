/// Where the library is known to differ: the reference leaves these undecided until they are mended, so that
/// others are found. An entry goes when its finding does.
enum KnownGaps {
  /// Saving when all that happened is that an insertion was deleted again.
  static let savingNothing = true
  /// A8: stores of one save are written one after the other.
  static let severalStores = true
  /// A12: metadata are lost unless objects change too.
  static let metadataAlone = true
  /// B8, S6: a child's objects keep identities from before they were saved.
  static let childIdentities = true
  /// S3: a derived count of a relationship that leads to the object itself.
  static let derivedCounts = true
  /// S4: a position that stays where its reference went.
  static let orderKeys = true
  /// S9: the store in memory counts an object that was saved without a difference as written.
  static let versionsInMemory = true
}
