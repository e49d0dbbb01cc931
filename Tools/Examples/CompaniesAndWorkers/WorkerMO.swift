import MomKit

#if canImport(ObjectiveC)
  @objc(WorkerMO)
#endif
final class WorkerMO: NSManagedObject {
  @Managed var firstname: String?
  @Managed var lastname: String?
  @Managed var company: CompanyMO?

  static let entityDescription: NSEntityDescription = {
    let description = NSEntityDescription(from: WorkerMO.self)
    description.addProperty(
      NSAttributeDescription(name: "firstname", ofType: .stringAttributeType))
    description.addProperty(
      NSAttributeDescription(name: "lastname", ofType: .stringAttributeType))
    return description
  }()

  static let companyRelationship: NSRelationshipDescription = {
    let relationship = NSRelationshipDescription()
    relationship.name = "company"
    relationship.destinationEntity = CompanyMO.entityDescription
    relationship.isOptional = true
    relationship.minCount = 0
    relationship.maxCount = 1
    relationship.deleteRule = .nullifyDeleteRule
    return relationship
  }()
}
