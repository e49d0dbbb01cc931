import Foundation

extension NSEntityDescription {
  /// The entity's own indexes, in the order they were given.
  public final var indexes: [NSFetchIndexDescription] {
    get { extras?.indexes ?? [] }
    set {
      willChange("setIndexes:")
      for index in indexes { index.storedEntity = nil }
      setIndexesUnchecked(newValue)
    }
  }

  /// Attributes whose values together no two objects may share; each constraint is a list of names.
  ///
  /// Takes names or attribute descriptions, gives names. As in Core Data an entity's constraints are
  /// its superentity's, followed by its own; setting replaces its own, and leaves inherited ones at
  /// the front of the new list out.
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

  /// The entity's own uniqueness constraints as names. MomKit's own addition.
  public final var ownUniquenessConstraints: [[String]] { extras?.uniquenessConstraints ?? [] }

  /// The older form of indexes over several properties, kept for archives: lists of names. Use
  /// ``indexes``.
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

  /// Sets the indexes for a decoder; they must belong to no entity.
  package final func setIndexesUnchecked(_ indexes: [NSFetchIndexDescription]) {
    for index in indexes { index.storedEntity = self }
    if !indexes.isEmpty || extras != nil { extra.indexes = indexes }
  }

  private static func names(_ members: [Any]) -> [String] {
    members.compactMap { ($0 as? NSPropertyDescription)?.name ?? ($0 as? String) }
  }
}
