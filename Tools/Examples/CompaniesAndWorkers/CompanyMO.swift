import MomKit

#if canImport(ObjectiveC)
  @objc(CompanyMO)
#endif
final class CompanyMO: NSManagedObject {
  @Managed var companyName: String?
  @Managed var workers: Set<WorkerMO>

  /// The class's entity description, created once. Relationships refer to the other entity, so they are added when
  /// both descriptions exist: see `workersRelationship`.
  static let entityDescription: NSEntityDescription = {
    let description = NSEntityDescription(from: CompanyMO.self)
    description.addProperty(
      NSAttributeDescription(name: "companyName", ofType: .stringAttributeType))
    return description
  }()

  static let workersRelationship: NSRelationshipDescription = {
    let relationship = NSRelationshipDescription()
    relationship.name = "workers"
    relationship.destinationEntity = WorkerMO.entityDescription
    relationship.minCount = 0
    relationship.maxCount = 0
    relationship.deleteRule = .nullifyDeleteRule
    return relationship
  }()
}
