import Foundation
import MomKit

/// The model of the growth benchmarks: an entity for each kind of relationship, and one with a unique attribute.
enum GrowthModel {
  static let shared: NSManagedObjectModel = {
    Person.register()
    Company.register()
    Worker.register()
    let city = attribute("city", .stringAttributeType)
    let person = entity(
      "Person", "Person",
      [
        attribute("age", .integer64AttributeType), attribute("height", .doubleAttributeType),
        attribute("name", .stringAttributeType), city,
      ])
    person.indexes = [
      NSFetchIndexDescription(
        name: "byCity",
        elements: [NSFetchIndexElementDescription(property: city, collationType: .binary)])
    ]
    let company = entity("Company", "Company", [name()])
    let worker = entity("Worker", "Worker", [name()])
    relate((company, "workers", 0), (worker, "company", 1))
    let list = entity("List", nil, [name()])
    let song = entity("Song", nil, [name()])
    relate((list, "songs", 0), (song, "list", 1), isOrdered: true)
    let post = entity("Post", nil, [name()])
    let tag = entity("Tag", nil, [name()])
    relate((post, "tags", 0), (tag, "posts", 0))
    let unique = entity(
      "Unique", nil,
      [attribute("key", .integer64AttributeType), attribute("value", .stringAttributeType)])
    unique.uniquenessConstraints = [["key"]]
    let model = NSManagedObjectModel()
    model.entities = [person, company, worker, list, song, post, tag, unique]
    return model
  }()

  private static func name() -> NSAttributeDescription { attribute("name", .stringAttributeType) }

  private static func attribute(
    _ name: String, _ type: NSAttributeType
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = true
    return attribute
  }

  private static func entity(
    _ name: String, _ className: String?, _ properties: [NSPropertyDescription]
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    if let className { entity.managedObjectClassName = className }
    entity.properties = properties
    return entity
  }

  private typealias Side = (entity: NSEntityDescription, name: String, max: Int)

  private static func relate(_ one: Side, _ other: Side, isOrdered: Bool = false) {
    func relationship(_ side: Side, to destination: NSEntityDescription)
      -> NSRelationshipDescription
    {
      let relationship = NSRelationshipDescription()
      relationship.name = side.name
      relationship.destinationEntity = destination
      relationship.maxCount = side.max
      relationship.isOptional = true
      return relationship
    }
    let forth = relationship(one, to: other.entity)
    let back = relationship(other, to: one.entity)
    forth.isOrdered = isOrdered
    (forth.inverseRelationship, back.inverseRelationship) = (back, forth)
    one.entity.properties.append(forth)
    other.entity.properties.append(back)
  }
}

final class Person: NSManagedObject {
  var age: Int64 {
    get { managed("age") }
    set { setManaged(newValue, "age") }
  }
  var height: Double {
    get { managed("height") }
    set { setManaged(newValue, "height") }
  }
  var name: String {
    get { managed("name") }
    set { setManaged(newValue, "name") }
  }
  var city: String {
    get { managed("city") }
    set { setManaged(newValue, "city") }
  }
}

final class Company: NSManagedObject {
  var workers: NSMutableSet { mutableSetValue(forKey: "workers") }
}

final class Worker: NSManagedObject {
  var name: String {
    get { managed("name") }
    set { setManaged(newValue, "name") }
  }
  var company: Company? {
    get { managed("company") }
    set { setManaged(newValue, "company") }
  }
}
