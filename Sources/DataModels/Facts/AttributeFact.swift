/// The facts of attributes.
package enum AttributeFact: DescriptionFact {
  case type, defaultValue, valueClass, transformer, minValue, maxValue

  package var traits: FactTraits {
    switch self {
    case .type: FactTraits("attributeType", told: "type", hash: "the type is part of the hash")
    case .defaultValue:
      FactTraits(
        "defaultValue", told: "default",
        noHash: "defaults are not hashed; stored rows keep their values")
    case .valueClass:
      FactTraits(
        "attributeValueClassName", told: "valueClass", noHash: "value classes are not hashed")
    case .transformer:
      FactTraits(
        "valueTransformerName", told: "transformer", noHash: "value transformers are not hashed")
    // Apple's decoder supports inline bounds, but no file that contains them has been seen.
    case .minValue: FactTraits("minValue", told: nil)
    case .maxValue: FactTraits("maxValue", told: nil)
    }
  }

  package func isSame(_ left: NSAttributeDescription, _ right: NSAttributeDescription) -> Bool {
    switch self {
    case .type: left.storedType == right.storedType
    case .defaultValue:
      ValueEquality.areEqual(left.storedDefault, right.storedDefault, as: left.storedType)
    case .valueClass: left.attributeValueClassName == right.attributeValueClassName
    case .transformer: left.valueTransformerName == right.valueTransformerName
    case .minValue: ValueEquality.areEqual(left.inlineMinValue, right.inlineMinValue)
    case .maxValue: ValueEquality.areEqual(left.inlineMaxValue, right.inlineMaxValue)
    }
  }
}

/// The additional facts of derived attributes.
package enum DerivationFact: DescriptionFact {
  case expression, filter

  package var traits: FactTraits {
    switch self {
    case .expression:
      FactTraits(
        "derivationExpression", told: "derivation",
        hash: "the derivation's text is the attribute's hash")
    case .filter:
      FactTraits(
        "filteringPredicate", told: "filter", hash: "the filter's text is part of the hash")
    }
  }

  package func isSame(
    _ left: NSDerivedAttributeDescription, _ right: NSDerivedAttributeDescription
  ) -> Bool {
    switch self {
    case .expression: left.storedExpression == right.storedExpression
    case .filter: PredicateEquality.areEqual(left.storedFilter, right.storedFilter)
    }
  }
}

/// The additional facts of composite attributes.
package enum CompositeFact: DescriptionFact {
  case elements

  package var traits: FactTraits {
    FactTraits(
      "elements", told: "elements", hash: "the elements' hashes are the attribute's hash")
  }

  /// Compares the elements at every depth, without recursion, visiting each composite once.
  package func isSame(
    _ left: NSCompositeAttributeDescription, _ right: NSCompositeAttributeDescription
  ) -> Bool {
    var seen = Set<ObjectIdentifier>()
    var pending = [(left, right)]
    while let (left, right) = pending.popLast() {
      guard seen.insert(ObjectIdentifier(left)).inserted else { continue }
      guard left.storedElements.count == right.storedElements.count else { return false }
      for (left, right) in zip(left.storedElements, right.storedElements) {
        if let left = left as? NSCompositeAttributeDescription,
          let right = right as? NSCompositeAttributeDescription
        {
          if PropertyComparison.commonDifference(left, right) != nil { return false }
          pending.append((left, right))
        } else if PropertyComparison.difference(left, right) != nil {
          return false
        }
      }
    }
    return true
  }
}
