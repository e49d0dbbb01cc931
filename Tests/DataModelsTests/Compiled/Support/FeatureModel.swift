import Foundation
import PredicateFormat
import PropertyLists
import TestSupport

import class PredicateFormat.NSExpression

@testable import DataModels

/// A small model that contains every kind of object in archives.
enum FeatureModel {
  static func model() -> NSManagedObjectModel {
    let person = entity("Person", className: "Shop.Person")
    let customer = entity("Customer", className: nil)
    let order = entity("Order", className: "Order")
    person.isAbstract = true
    person.userInfo = ["note": "two words", "empty": ""]
    person.subentities = [customer]
    customer.versionHashModifier = "2"
    customer.renamingIdentifier = "Client"

    let name = attribute("name", .string, default: "nobody")
    name.setValidation(
      [
        NSPredicate(.compare(.key("length"), .greaterThanOrEqualTo, .constant(.integer(1)))),
        NSPredicate(.compare(.evaluatedObject, .matches, .constant("[A-Z].*"))),
      ], warnings: [1670, 1680])
    let born = attribute("born", .date, default: Date(timeIntervalSinceReferenceDate: 10.5))
    let price = attribute("price", .decimal, default: Decimal(string: "12.50"))
    let key = attribute(
      "key", .uuid, default: UUID(uuidString: "6F2B8C1E-0000-4000-8000-0123456789AB"))
    let page = attribute("page", .uri, default: URL(string: "https://example.com/a"))
    let photo = attribute("photo", .binaryData)
    photo.allowsExternalBinaryDataStorage = true
    let tags = attribute("tags", .transformable)
    tags.valueTransformerName = "NSSecureUnarchiveFromData"
    tags.attributeValueClassName = "NSSet"
    let address = NSCompositeAttributeDescription()
    address.name = "address"
    address.elements = [attribute("city", .string), attribute("zip", .integer32, default: 1)]
    name.userInfo = ["a": "b"]
    name.versionHashModifier = "m"
    person.properties = [name, born, key, page, photo, tags, address]

    let orders = relationship("orders", to: order, max: 0)
    orders.deleteRule = .cascadeDeleteRule
    orders.isOrdered = true
    let owner = relationship("owner", to: person, max: 1)
    link(orders, owner)
    let count = NSDerivedAttributeDescription()
    count.name = "count"
    count.type = .integer64
    count.derivationExpression = NSExpression(.call("count:", .key("orders")))
    person.properties += [orders, count]
    order.properties = [price, attribute("paid", .boolean, default: true), owner]
    order.uniquenessConstraints = [["price", "paid"]]
    order.indexes = [
      NSFetchIndexDescription(
        name: "byPrice",
        elements: [
          NSFetchIndexElementDescription(property: price, collationType: .binary),
          NSFetchIndexElementDescription(property: owner, collationType: .binary),
        ])
    ]

    let request = NSFetchRequest<NSFetchRequestResult>()
    request.entity = order
    request.predicate = NSPredicate(
      .and([
        .compare(.key("price"), .greaterThan, .constant(.double(0.5))),
        .not(.compare(.key("paid"), .equalTo, .variable("PAID"))),
      ]))
    request.sortDescriptors = [NSSortDescriptor(key: "price", ascending: false)]
    request.fetchLimit = 5
    let fetched = NSFetchedPropertyDescription()
    fetched.name = "latest"
    fetched.fetchRequest = request
    person.properties += [fetched]

    let model = NSManagedObjectModel(of: [person, customer, order])
    model.setEntities([person, customer], forConfigurationName: "People")
    let template = NSFetchRequest<NSFetchRequestResult>()
    template.entity = person
    template.predicate = NSPredicate(.compare(.key("name"), .beginsWith, .variable("START")))
    model.setFetchRequestTemplate(template, forName: "named")
    model.versionIdentifiers = ["1"]
    model.compilerStamp = CompilerStamp(toolVersion: 24512, xcodeVersion: 260_200)
    return model
  }

  /// The model's archive, for tests that damage it.
  static func archive() throws -> EditableArchive {
    try EditableArchive(ModelArchive.encode(model()))
  }

  private static func entity(_ name: String, className: String?) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    if let className { entity.managedObjectClassName = className }
    return entity
  }

  private static func attribute(
    _ name: String, _ type: NSAttributeDescription.AttributeType, default value: Any? = nil
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.type = type
    attribute.defaultValue = value
    return attribute
  }

  private static func relationship(
    _ name: String, to destination: NSEntityDescription, max: Int
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.maxCount = max
    return relationship
  }
}

extension EditableArchive {
  /// Returns the number of the object of a class that has a string under a key.
  func instance(of type: String, _ key: String, is text: String) -> Int? {
    instances(of: type).first { number in
      target(number, key).map { objects[$0] == .string(text) } ?? false
    }
  }

  /// Returns an entity's object number.
  func entity(_ name: String) -> Int {
    instance(of: "NSEntityDescription", "NSEntityName", is: name) ?? 0
  }

  /// Returns a property's object number, whatever its class.
  func property(_ name: String) -> Int {
    objects.indices.first { number in
      self[number, "_P"] != nil
        && target(number, "NSPropertyName").map { objects[$0] == .string(name) } ?? false
    } ?? 0
  }

  /// Adds a string, and returns a reference to it.
  mutating func text(_ text: String) -> ArchiveValue { .reference(add(.string(text))) }
}
