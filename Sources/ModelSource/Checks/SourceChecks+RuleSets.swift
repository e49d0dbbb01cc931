import DataModels

extension SourceChecks {
  // MARK: CloudKit

  /// Reports what `NSPersistentCloudKitContainer` rejects when it loads its store.
  mutating func checkCloudKit() {
    for entity in model.entities {
      if let constraint = entity.uniquenessConstraints.first {
        log.add(
          .cloudKitUniqueness, about: DiagnosticSubject(constraint.element, entity: entity.name),
          "CloudKit doesn't support uniqueness constraints")
      }
      for attribute in entity.attributes { checkCloudKit(attribute, in: entity.name) }
      for relationship in entity.relationships { checkCloudKit(relationship, in: entity.name) }
    }
  }

  private mutating func checkCloudKit(_ attribute: AttributeDeclaration, in entity: String) {
    guard !attribute.isTransient, !attribute.isDerived else { return }
    let subject = DiagnosticSubject(
      attribute.element, entity: entity, property: attribute.name)
    if !attribute.isOptional, attribute.defaultText == nil, attribute.defaultInterval == nil {
      log.add(
        .cloudKitOptional, about: subject,
        "CloudKit requires the attribute to be optional or to have a default value")
    }
    if attribute.type == .undefinedAttributeType || attribute.type == .objectIDAttributeType {
      log.add(
        .cloudKitType, about: subject, at: "attributeType",
        "CloudKit can't store attributes of type '\(attribute.type.sourceName ?? "Undefined")'")
    }
  }

  private mutating func checkCloudKit(_ relationship: RelationshipDeclaration, in entity: String) {
    guard !relationship.isTransient else { return }
    let subject = DiagnosticSubject(
      relationship.element, entity: entity, property: relationship.name)
    if !relationship.isOptional {
      log.add(
        .cloudKitRelationshipOptional, about: subject,
        "CloudKit requires the relationship to be optional")
    }
    if relationship.inverseName == nil {
      log.add(
        .cloudKitInverse, about: subject, "CloudKit requires the relationship to have an inverse")
    }
    if relationship.deleteRule == .denyDeleteRule {
      log.add(
        .cloudKitDeleteRule, about: subject, at: "deletionRule",
        "CloudKit doesn't support the delete rule Deny")
    }
    if relationship.isOrdered {
      log.add(
        .cloudKitOrdered, about: subject, at: "ordered",
        "CloudKit doesn't support ordered relationships")
    }
  }

  // MARK: Transformers

  /// Transformers that decode any class named in an archive.
  private static let insecureTransformers: Set<String> = [
    "NSKeyedUnarchiveFromData", "NSKeyedUnarchiveFromDataTransformerName", "NSUnarchiveFromData",
    "NSUnarchiveFromDataTransformerName",
  ]

  mutating func checkTransformers() {
    let owners =
      model.entities.map { ($0.name, $0.attributes) }
      + model.composites.map { ($0.name, $0.attributes) }
    for (owner, attributes) in owners {
      for attribute in attributes where attribute.type == .transformableAttributeType {
        let subject = DiagnosticSubject(
          attribute.element, entity: owner, property: attribute.name)
        let name = attribute.valueTransformerName ?? ""
        if name.isEmpty {
          log.add(
            .transformerMissing, about: subject,
            "the transformable attribute names no value transformer; name"
              + " NSSecureUnarchiveFromDataTransformer, or a subclass of your own")
        } else if Self.insecureTransformers.contains(name) {
          log.add(
            .transformerInsecure, about: subject, at: "valueTransformerName",
            "the value transformer '\(name)' decodes any class; use"
              + " NSSecureUnarchiveFromDataTransformer")
        }
      }
    }
  }
}
