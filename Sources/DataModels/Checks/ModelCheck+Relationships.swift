import Foundation

// Rules about relationships.
extension ModelCheck {
  mutating func checkRelationship(
    _ relationship: NSRelationshipDescription, of entity: NSEntityDescription
  ) {
    checkCounts(of: relationship, in: entity)
    if relationship.storedDeleteRule == .noActionDeleteRule {
      report(
        .deleteRule, as: .warning, in: entity, at: relationship.storedName,
        "the delete rule No Action leaves dangling references")
    }
    guard let destination = checkedDestination(of: relationship, in: entity) else { return }
    checkInverse(of: relationship, to: destination, in: entity)
  }

  private mutating func checkCounts(
    of relationship: NSRelationshipDescription, in entity: NSEntityDescription
  ) {
    let low = relationship.storedMinCount
    let high = relationship.storedMaxCount
    let name = relationship.storedName
    if high > 0 && low > high {
      report(
        .counts, in: entity, at: name,
        "the minimum count, \(low), is above the maximum count, \(high)")
    }
    if low < 0 || high < -1 {
      report(.counts, as: .warning, in: entity, at: name, "a negative count acts as 0")
    }
    if relationship.isOrdered && !relationship.isToMany {
      report(
        .orderedToOne, as: .warning, in: entity, at: name, "a to-one relationship can't be ordered",
        hint: "set isOrdered to false")
    }
  }

  /// The destination, if it is in the model; reports one that is missing.
  private mutating func checkedDestination(
    of relationship: NSRelationshipDescription, in entity: NSEntityDescription
  ) -> NSEntityDescription? {
    let name = relationship.storedName
    if let destination = relationship.storedDestination {
      guard contains(destination) else {
        report(
          .destination, in: entity, at: name,
          "the destination '\(destination.name ?? "")' isn't in the model",
          hint: "add it to the model's entities")
        return nil
      }
      return destination
    }
    guard let destinationName = relationship.destinationEntityName else {
      report(
        .destination, in: entity, at: name, "the relationship has no destination",
        hint: "set its destinationEntity")
      return nil
    }
    guard let destination = entitiesByName[destinationName] else {
      report(
        .destination, in: entity, at: name, "the destination '\(destinationName)' doesn't exist")
      return nil
    }
    return destination
  }

  private mutating func checkInverse(
    of relationship: NSRelationshipDescription, to destination: NSEntityDescription,
    in entity: NSEntityDescription
  ) {
    let name = relationship.storedName
    guard let inverse = inverse(of: relationship, in: destination) else {
      if let inverseName = relationship.inverseRelationshipName {
        report(
          .inverse, in: entity, at: name,
          "the inverse '\(inverseName)' doesn't exist in '\(destination.name ?? "")', or isn't a"
            + " relationship")
      } else {
        report(
          .missingInverse, as: .warning, in: entity, at: name, "the relationship has no inverse",
          hint: "add one to '\(destination.name ?? "")'")
      }
      return
    }
    let label = "the inverse '\(inverse.owner?.name ?? "").\(inverse.storedName)'"
    if let owner = inverse.owner, !isKind(destination, of: owner), !isKind(owner, of: destination) {
      report(
        .inverse, in: entity, at: name,
        "\(label) isn't a property of the destination"
          + " '\(destination.name ?? "")'")
    } else if !leadsBack(inverse, to: relationship) {
      let leadsTo = inverse.inverseRelationshipName.map { "to '\($0)'" } ?? "nowhere"
      report(
        .inverse, in: entity, at: name, "\(label) doesn't refer back to it, but \(leadsTo)",
        hint: "set the inverse at both ends")
    } else if let back = inverse.storedDestination, !isKind(entity, of: back),
      !isKind(back, of: entity)
    {
      report(
        .inverse, in: entity, at: name,
        "\(label) refers to '\(back.name ?? "")', not to '\(entity.name ?? "")'")
    } else if hasConstraints(entity), !inverse.isOptional, !inverse.isToMany {
      report(
        .uniquenessInverse, as: .warning, in: entity, at: name,
        "the entity has uniqueness constraints, and \(label) is mandatory and to-one",
        hint: "make the inverse optional")
    } else if inverse.isTransient != relationship.isTransient {
      report(
        .inverse, as: .warning, in: entity, at: name,
        "one of the relationship and \(label) is transient")
    }
  }

  /// Whether an entity, or one of its ancestors, has uniqueness constraints.
  private func hasConstraints(_ entity: NSEntityDescription) -> Bool {
    constrainedAncestors > 0 || !entity.ownUniquenessConstraints.isEmpty
  }

  private mutating func inverse(
    of relationship: NSRelationshipDescription, in destination: NSEntityDescription
  ) -> NSRelationshipDescription? {
    if let inverse = relationship.storedInverse { return inverse }
    guard let name = relationship.inverseRelationshipName else { return nil }
    return nearestProperty(named: name, from: destination) as? NSRelationshipDescription
  }

  private func leadsBack(
    _ inverse: NSRelationshipDescription, to relationship: NSRelationshipDescription
  ) -> Bool {
    if let back = inverse.storedInverse { return back === relationship }
    return inverse.inverseRelationshipName == relationship.storedName
  }
}
