/// The facts of entities, other than their names, properties and indexes.
package enum EntityFact: DescriptionFact {
  case superentity, isAbstract, className, renamingIdentifier, versionHashModifier
  case uniquenessConstraints, compoundIndexes, userInfo, spotlightDisplayName

  package var traits: FactTraits {
    switch self {
    case .superentity:
      FactTraits("superentity", hash: "an entity's hash contains its parent's hash")
    case .isAbstract:
      FactTraits("isAbstract", told: "abstract", hash: "the abstract flag is part of the hash")
    case .className:
      FactTraits(
        "managedObjectClassName", told: "className",
        noHash: "the class only matters at run time; it is not hashed")
    case .renamingIdentifier: .renamingIdentifier
    case .versionHashModifier: .versionHashModifier
    case .uniquenessConstraints:
      FactTraits("uniquenessConstraints", hash: "uniqueness constraints are part of the hash")
    case .compoundIndexes: .ofIndex("compoundIndexes", told: "compoundIndexes")
    case .userInfo: .userInfo
    case .spotlightDisplayName:
      FactTraits(
        "coreSpotlightDisplayNameExpression", told: "spotlightDisplayName",
        noHash: "search settings are not hashed")
    }
  }

  /// Whether the fact is stored in the separate object for settings that few entities have.
  var isRare: Bool {
    switch self {
    case .superentity, .isAbstract, .className: false
    case .renamingIdentifier, .versionHashModifier, .uniquenessConstraints, .compoundIndexes,
      .userInfo, .spotlightDisplayName:
      true
    }
  }

  package func isSame(_ left: NSEntityDescription, _ right: NSEntityDescription) -> Bool {
    switch self {
    case .superentity: left.storedSuperentity?.name == right.storedSuperentity?.name
    case .isAbstract: left.storedIsAbstract == right.storedIsAbstract
    case .className: left.managedObjectClassName == right.managedObjectClassName
    case .renamingIdentifier: left.renamingIdentifier == right.renamingIdentifier
    case .versionHashModifier: left.versionHashModifier == right.versionHashModifier
    case .uniquenessConstraints: left.ownUniquenessConstraints == right.ownUniquenessConstraints
    case .compoundIndexes:
      // They matter only if there are no fetch indexes, which take precedence.
      !(left.indexes.isEmpty && right.indexes.isEmpty)
        || left.compoundIndexNames == right.compoundIndexNames
    case .userInfo: ValueEquality.areEqual(left.orderedUserInfo, right.orderedUserInfo)
    case .spotlightDisplayName:
      left.coreSpotlightDisplayNameExpression == right.coreSpotlightDisplayNameExpression
    }
  }
}

/// The facts of fetch indexes, other than their names.
package enum FetchIndexFact: DescriptionFact {
  case elements, partialPredicate, isSynthesized

  package var traits: FactTraits {
    switch self {
    case .elements: .ofIndex("elements", told: "elements")
    case .partialPredicate: .ofIndex("partialIndexPredicate", told: "partialPredicate")
    // Derived from the "indexed" checkbox rather than declared.
    case .isSynthesized: .ofIndex("isSynthesized", told: "synthesized")
    }
  }

  package func isSame(_ left: NSFetchIndexDescription, _ right: NSFetchIndexDescription) -> Bool {
    switch self {
    case .elements:
      left.storedElements.count == right.storedElements.count
        && zip(left.storedElements, right.storedElements).allSatisfy(EntityComparison.areEqual)
    case .partialPredicate:
      PredicateEquality.areEqual(
        left.storedPartialIndexPredicate, right.storedPartialIndexPredicate)
    // How an index came about doesn't matter for equality.
    case .isSynthesized: true
    }
  }
}
