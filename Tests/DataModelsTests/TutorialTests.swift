import Foundation
import TestSupport
import Testing

@testable import DataModels

// Code as written by Core Data's users, using only the public interface. Above all, it must compile.

extension NSAttributeDescription {
  convenience init(
    name: String, ofType type: NSAttributeType, isOptional: Bool = true
  ) {
    self.init()
    self.name = name
    self.attributeType = type
    self.isOptional = isOptional
  }
}

extension NSEntityDescription {
  convenience init(from classType: AnyClass) {
    self.init()
    name = String(describing: classType)
    managedObjectClassName = NSStringFromClass(classType)
  }

  func addProperty(_ property: NSPropertyDescription) {
    properties.append(property)
  }
}

final class CompanyMO {
  static let description: NSEntityDescription = {
    let description = NSEntityDescription(from: CompanyMO.self)
    description.addProperty(
      NSAttributeDescription(name: "companyName", ofType: .stringAttributeType, isOptional: false))
    return description
  }()
}

final class WorkerMO {
  static let description: NSEntityDescription = {
    let description = NSEntityDescription(from: WorkerMO.self)
    for name in ["firstname", "lastname"] {
      description.addProperty(NSAttributeDescription(name: name, ofType: .stringAttributeType))
    }
    return description
  }()
}

/// A user's own attribute class.
private final class EmailAttribute: NSAttributeDescription, @unchecked Sendable {
  override init() {
    super.init()
    type = .string
  }

  override var isOptional: Bool {
    get { false }
    set {}
  }
}

@Suite struct TutorialTests {
  @Test func companiesAndWorkers() throws {
    let workers = NSRelationshipDescription()
    let company = NSRelationshipDescription()
    workers.name = "workers"
    workers.destinationEntity = WorkerMO.description
    workers.minCount = 0
    workers.maxCount = 0
    workers.deleteRule = .cascadeDeleteRule
    workers.inverseRelationship = company
    company.name = "company"
    company.destinationEntity = CompanyMO.description
    company.maxCount = 1
    company.deleteRule = .nullifyDeleteRule
    company.inverseRelationship = workers
    CompanyMO.description.addProperty(workers)
    WorkerMO.description.addProperty(company)
    let model = NSManagedObjectModel(of: [CompanyMO.description, WorkerMO.description])
    #expect(model.findings().isEmpty)
    #expect(workers.isToMany && !company.isToMany)
    #expect(CompanyMO.description.managedObjectClassName.hasSuffix("CompanyMO"))
    #expect(workers.entity === CompanyMO.description)
    #expect(CompanyMO.description.managedObjectModel === model)
  }

  @Test func aDownloadCache() throws {
    let entity = entity("DTCachedFile", class: "DTCachedFile")
    let url = NSAttributeDescription(name: "remoteURL", ofType: .stringAttributeType)
    url.isOptional = false
    url.isIndexed = true
    let data = NSAttributeDescription(name: "fileData", ofType: .binaryDataAttributeType)
    data.isOptional = false
    data.allowsExternalBinaryDataStorage = true
    let size = NSAttributeDescription(name: "fileSize", ofType: .integer32AttributeType)
    size.defaultValue = NSNumber(value: 0)
    entity.properties = [url, data, size]
    let model = NSManagedObjectModel(of: [entity])
    model.versionIdentifiers = ["1"]
    #expect(entity.attributesByName["fileSize"]?.defaultValue as? Int == 0)
    #expect(entity.attributesByName["fileData"]?.attributeValueClassName == "NSData")
    #expect(model.entitiesByName["DTCachedFile"]?.versionHash.count == 32)
    #expect(try #require(model.copy() as? NSManagedObjectModel) == model)
    #expect(model.isEditable)
  }

  @Test func ownSubclasses() {
    let email = EmailAttribute()
    email.name = "email"
    email.isOptional = true
    let plain = NSAttributeDescription(name: "email", ofType: .stringAttributeType)
    plain.isOptional = false
    #expect(email.versionHash == plain.versionHash)
  }

  @Test func requestsOfSeveralResultTypes() {
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Person")
    request.sortDescriptors = []
    request.propertiesToFetch = ["name"]
    request.resultType = .dictionaryResultType
    let typed = NSFetchRequest<NSDictionary>(request)
    #expect(typed.entityName == "Person" && typed.resultType == .dictionaryResultType)
    let copy = request.copy() as? NSFetchRequest<NSFetchRequestResult>
    #expect(copy?.propertiesToFetch as? [String] == ["name"])
    #expect(copy == request)
  }
}
