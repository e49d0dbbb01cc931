/// The facts common to all kinds of properties, other than names and settings. All of them are rare.
package enum PropertyFact: DescriptionFact {
  case renamingIdentifier, versionHashModifier, validationPredicates, validationWarnings, userInfo

  package var traits: FactTraits {
    switch self {
    case .renamingIdentifier: .renamingIdentifier
    case .versionHashModifier: .versionHashModifier
    case .validationPredicates:
      FactTraits("validationPredicates", told: "validation", noHash: "validation is not hashed")
    // Reported with the predicates.
    case .validationWarnings: FactTraits("validationWarnings", told: nil)
    case .userInfo: .userInfo
    }
  }

  package func isSame(_ left: NSPropertyDescription, _ right: NSPropertyDescription) -> Bool {
    switch self {
    case .renamingIdentifier: left.renamingIdentifier == right.renamingIdentifier
    case .versionHashModifier: left.versionHashModifier == right.versionHashModifier
    case .validationPredicates:
      PredicateEquality.areEqual(left.validationPredicates, right.validationPredicates)
    case .validationWarnings:
      ValueEquality.areEqual(left.validationWarnings, right.validationWarnings)
    case .userInfo: ValueEquality.areEqual(left.orderedUserInfo, right.orderedUserInfo)
    }
  }
}

/// The facts of relationships.
package enum RelationshipFact: DescriptionFact {
  case destination, inverse, maxCount, minCount, deleteRule

  package var traits: FactTraits {
    switch self {
    case .destination:
      FactTraits(
        "destinationEntity", told: "destination",
        hash: "the destination's name is part of the hash")
    case .inverse:
      FactTraits(
        "inverseRelationship", told: "inverse", hash: "the inverse's name is part of the hash")
    case .maxCount: FactTraits("maxCount", hash: "the maximum count is part of the hash")
    case .minCount: FactTraits("minCount", hash: "the minimum count is part of the hash")
    case .deleteRule:
      FactTraits("deleteRule", noHash: "delete rules only matter at run time; they are not hashed")
    }
  }

  package func isSame(
    _ left: NSRelationshipDescription, _ right: NSRelationshipDescription
  ) -> Bool {
    switch self {
    case .destination: left.destinationEntityName == right.destinationEntityName
    case .inverse: left.inverseRelationshipName == right.inverseRelationshipName
    case .maxCount: left.storedMaxCount == right.storedMaxCount
    case .minCount: left.storedMinCount == right.storedMinCount
    case .deleteRule: left.storedDeleteRule == right.storedDeleteRule
    }
  }
}

/// The facts of the expressions in indexes and requests.
package enum ExpressionFact: DescriptionFact {
  case expression, resultType

  package var traits: FactTraits {
    switch self {
    case .resultType:
      FactTraits("expressionResultType", told: "resultType", noHash: "expressions are not hashed")
    case .expression: FactTraits("expression", noHash: "expressions are not hashed")
    }
  }

  package func isSame(_ left: NSExpressionDescription, _ right: NSExpressionDescription) -> Bool {
    switch self {
    case .resultType: left.storedResultType == right.storedResultType
    case .expression: left.storedExpression == right.storedExpression
    }
  }
}
