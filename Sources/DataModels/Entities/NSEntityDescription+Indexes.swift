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
      let inherited = ancestry.dropFirst().reversed().flatMap(\.ownUniquenessConstraints)
      var own = newValue.map(Self.names)
      if own.starts(with: inherited) { own.removeFirst(inherited.count) }
      ownUniquenessConstraints = own
    }
  }

  /// The entity's own uniqueness constraints as names. A MomKit addition.
  public package(set) final var ownUniquenessConstraints: [[String]] {
    get { extras?.uniquenessConstraints ?? [] }
    set {
      // They are taken as they are, even those that a superentity has at the moment: an editor that changes several
      // entities changes the hierarchy and the superentity's constraints at other times.
      willChange("setUniquenessConstraints:")
      if !newValue.isEmpty || extras != nil { extra.uniquenessConstraints = newValue }
    }
  }

  /// The older form of indexes over several properties, as lists of names. Use ``indexes`` instead.
  ///
  /// On current systems, Core Data's setter has no effect and its getter returns none. Here they are kept, since archives
  /// and sources of older models have them, and are written again without loss; stores of models without ``indexes`` have
  /// an index for each.
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
