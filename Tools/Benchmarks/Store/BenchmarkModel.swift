import Foundation
import MomKit

/// A person with the eight columns of the benchmark: three of them the store's own.
final class Person: NSManagedObject {
  static let model: NSManagedObjectModel = {
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      return attribute
    }
    func relationship(_ name: String, _ entity: NSEntityDescription, max: Int)
      -> NSRelationshipDescription
    {
      let relationship = NSRelationshipDescription()
      relationship.name = name
      relationship.destinationEntity = entity
      relationship.maxCount = max
      return relationship
    }
    let person = NSEntityDescription()
    person.name = "Person"
    person.managedObjectClassName = "Person"
    let city = attribute("city", .stringAttributeType)
    person.properties = [
      attribute("age", .integer64AttributeType), attribute("height", .doubleAttributeType),
      attribute("born", .dateAttributeType), attribute("name", .stringAttributeType), city,
    ]
    person.indexes = [
      NSFetchIndexDescription(
        name: "byCity",
        elements: [NSFetchIndexElementDescription(property: city, collationType: .binary)])
    ]
    let company = NSEntityDescription()
    company.name = "Company"
    company.managedObjectClassName = "Company"
    let worker = NSEntityDescription()
    worker.name = "Worker"
    worker.managedObjectClassName = "Worker"
    let workers = relationship("workers", worker, max: 0)
    let employer = relationship("company", company, max: 1)
    workers.inverseRelationship = employer
    employer.inverseRelationship = workers
    company.properties = [attribute("name", .stringAttributeType), workers]
    worker.properties = [
      attribute("name", .stringAttributeType), attribute("age", .integer64AttributeType), employer,
    ]
    let model = NSManagedObjectModel()
    model.entities = [person, company, worker]
    return model
  }()

  var name: String {
    get { managed("name") }
    set { setManaged(newValue, "name") }
  }
  var city: String {
    get { managed("city") }
    set { setManaged(newValue, "city") }
  }
  var age: Int64 {
    get { managed("age") }
    set { setManaged(newValue, "age") }
  }
  var height: Double {
    get { managed("height") }
    set { setManaged(newValue, "height") }
  }
  var born: Date {
    get { managed("born") }
    set { setManaged(newValue, "born") }
  }
}

/// A company, with accessors as Xcode and `momtool generate` write them.
final class Company: NSManagedObject {
  var name: String {
    get { managed("name") }
    set { setManaged(newValue, "name") }
  }
  /// The set that stands for the relationship: like Core Data's own sets it is made of nothing but
  /// the relationship itself.
  var workers: NSMutableSet { mutableSetValue(forKey: "workers") }
}

/// Somebody who works for a company.
final class Worker: NSManagedObject {
  var name: String {
    get { managed("name") }
    set { setManaged(newValue, "name") }
  }
  var age: Int64 {
    get { managed("age") }
    set { setManaged(newValue, "age") }
  }
  var company: Company? {
    get { managed("company") }
    set { setManaged(newValue, "company") }
  }
}
