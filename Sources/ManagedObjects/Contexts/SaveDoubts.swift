/// What may be wrong in a context's next save, and is looked for in it. Ordinary saves look for nothing.
struct SaveDoubts: OptionSet {
  let rawValue: UInt8

  /// Relationships may refer to objects whose insertion was cancelled.
  static let cancelledInsertions = Self(rawValue: 1)
  /// Relationships may refer to objects whose rows are gone. They stay deleted, whatever is saved or rolled back
  /// meanwhile.
  static let vanishedObjects = Self(rawValue: 2)
  /// Relationships may have changed on one side only, as a refresh has dropped the other side's change.
  static let droppedSides = Self(rawValue: 4)
  /// Relationships may lead to objects whose deletion was saved: undo sets them before it restores these.
  static let undoneReferences = Self(rawValue: 8)
  /// Objects whose deletion was saved are to be written again: undo has restored them.
  static let returningObjects = Self(rawValue: 16)

  /// Relationships may lead to objects that were made without a context and haven't been inserted.
  static let unattachedObjects = Self(rawValue: 32)

  /// What a save or a rollback doesn't end.
  static let lasting: Self = .vanishedObjects
}
