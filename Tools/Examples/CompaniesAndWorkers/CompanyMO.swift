import MomKit

#if canImport(ObjectiveC)
  @objc(CompanyMO)
#endif
final class CompanyMO: NSManagedObject {
  @Managed var companyName: String?
  @Managed var workers: Set<WorkerMO>

  /// The class's own description, made once. Its relationships name the worker's, so they are made
  /// when both descriptions are there: see `workersRelationship`.
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
