import Foundation

extension NSEntityDescription {
  /// The entity's own indexes, in the order in which they were set.
  ///
  /// What compilers write of indexes in the older forms, the "indexed" checkbox and ``compoundIndexes``, follows: a model
  /// that was read doesn't keep there what is removed here.
  public final var indexes: [NSFetchIndexDescription] {
    get { extras?.indexes ?? [] }
    set {
      willChange("setIndexes:")
      changeIndexes {
        for index in indexes { index.storedEntity = nil }
        setIndexesUnchecked(newValue)
      }
    }
  }

  /// Attributes whose combination of values must be unique; each constraint is a list of names.
  ///
  /// The setter accepts names or attribute descriptions; the getter returns names. As in Core Data, an entity's
  /// constraints are those of its superentity followed by its own. Setting replaces its own, and ignores inherited ones
  /// at the start of the new list.
  public final var uniquenessConstraints: [[Any]] {
    get {
      storedSuperentity == nil
        ? ownUniquenessConstraints
        : ancestry.reversed().flatMap(\.ownUniquenessConstraints)
    }
    set {
      willChange("setUniquenessConstraints:")
      let inherited = ancestry.dropFirst().reversed().flatMap(\.ownUniquenessConstraints)
      var own = newValue.map(Self.names)
      if own.starts(with: inherited) { own.removeFirst(inherited.count) }
      if !own.isEmpty || extras != nil { extra.uniquenessConstraints = own }
    }
  }

  /// The entity's own uniqueness constraints as names. A MomKit addition.
  public final var ownUniquenessConstraints: [[String]] { extras?.uniquenessConstraints ?? [] }

  /// The older form of indexes over several properties, as lists of names. Supported for archives; use ``indexes``
  /// instead.
  public final var compoundIndexes: [[Any]] {
    get { compoundIndexNames }
    set {
      willChange("setCompoundIndexes:")
      let names = newValue.map(Self.names)
      if !names.isEmpty || extras != nil { extra.compoundIndexes = names }
    }
  }

  /// The compound indexes as names.
  package final var compoundIndexNames: [[String]] { extras?.compoundIndexes ?? [] }

  /// Sets the indexes for a decoder; they must not belong to an entity yet.
  package final func setIndexesUnchecked(_ indexes: [NSFetchIndexDescription]) {
    for index in indexes { index.storedEntity = self }
    if !indexes.isEmpty || extras != nil { extra.indexes = indexes }
  }

  private static func names(_ members: [Any]) -> [String] {
    members.compactMap { ($0 as? NSPropertyDescription)?.name ?? ($0 as? String) }
  }
}
