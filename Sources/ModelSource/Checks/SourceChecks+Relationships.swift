import DataModels

extension SourceChecks {
  // MARK: Relationships

  mutating func checkRelationships(of number: Int) {
    let entity = model.entities[number]
    for relationship in entity.relationships {
      let subject = DiagnosticSubject(
        relationship.element, entity: entity.name, property: relationship.name)
      checkCounts(of: relationship, subject)
      if relationship.deleteRule == .noActionDeleteRule {
        log.add(
          .noActionDeleteRule, about: subject, at: "deletionRule",
          "the delete rule No Action leaves references to deleted objects; choose another, or update"
            + " the inverse yourself")
      }
      if relationship.isOrdered, !relationship.isToMany {
        log.add(
          .orderedToOne, about: subject, at: "ordered", "a to-one relationship can't be ordered")
      }
      guard let destination = relationship.destination else {
        log.add(.missingDestination, about: subject, "the relationship has no destination")
        continue
      }
      guard let target = index.entities[destination] else {
        log.add(
          .unknownDestination, about: subject, at: "destinationEntity",
          "the destination '\(destination)' doesn't exist" + suggestEntity(destination))
        continue
      }
      checkInverse(of: relationship, from: number, to: target, subject)
    }
  }

  private mutating func checkCounts(
    of relationship: RelationshipDeclaration, _ subject: DiagnosticSubject
  ) {
    let (least, most) = (relationship.minCount, relationship.maxCount)
    if least < 0 {
      log.add(
        .invalidValue, about: subject, at: "minCount", "minCount is \(least), which counts as 0")
    }
    if most > 0, least > most {
      log.add(
        .crossedBounds, about: subject, at: "minCount",
        "minCount is \(least), but maxCount only \(most)")
    }
  }

  private mutating func checkInverse(
    of relationship: RelationshipDeclaration, from number: Int, to target: Int,
    _ subject: DiagnosticSubject
  ) {
    let entity = model.entities[number]
    let destination = model.entities[target]
    guard let inverseName = relationship.inverseName else {
      log.add(
        .missingInverse, about: subject,
        "the relationship has no inverse; without one Core Data can't keep the graph consistent")
      return
    }
    guard let property = index.property(inverseName, of: target) else {
      let suggestion = SpellingSuggestion.nearest(
        to: inverseName, among: index.propertyNames(of: target))
      log.add(
        .unknownInverse, about: subject, at: "inverseName",
        "'\(destination.name)' has no property '\(inverseName)'" + didYouMean(suggestion))
      return
    }
    guard case .relationship(let inverse) = property else {
      log.add(
        .unknownInverse, about: subject, at: "inverseName",
        "'\(destination.name).\(inverseName)' is not a relationship")
      return
    }
    let back = inverse.destination.flatMap { index.entities[$0] }
    if back.map({ !index.isEntity(number, kindOf: $0) && !index.isEntity($0, kindOf: number) })
      ?? true
    {
      log.add(
        .inverseMismatch, about: subject, at: "inverseName",
        "the inverse '\(destination.name).\(inverseName)' refers to"
          + " '\(inverse.destination ?? "nothing")', not to '\(entity.name)'")
    } else if inverse.inverseName != relationship.name {
      log.add(
        .inverseMismatch, about: subject, at: "inverseName",
        "the inverse '\(destination.name).\(inverseName)' "
          + (inverse.inverseName.map { "has another inverse, '\($0)'" }
            ?? "has no inverse itself"))
    }
    if relationship.isTransient != inverse.isTransient {
      log.add(
        .transientInverse, about: subject,
        "only one of the relationship and its inverse '\(destination.name).\(inverseName)'"
          + " is transient")
    }
    if let named = relationship.inverseEntity, named != destination.name,
      index.entities[named].map({ !index.isEntity(target, kindOf: $0) }) ?? true
    {
      log.add(
        .inverseMismatch, about: subject, at: "inverseEntity", severity: .warning,
        "the inverse's entity is '\(named)', but the destination is '\(destination.name)'")
    }
  }
}
