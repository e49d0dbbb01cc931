import Foundation
import MomKit

/// A model that uses every feature of models.
enum TestModel {
  static func attribute(
    _ name: String, _ type: NSAttributeType = .stringAttributeType, optional: Bool = true,
    default value: Any? = nil
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    (attribute.name, attribute.attributeType) = (name, type)
    (attribute.isOptional, attribute.defaultValue) = (optional, value)
    return attribute
  }

  static func toOne(
    _ name: String, rule: NSDeleteRule = .nullifyDeleteRule
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    (relationship.maxCount, relationship.deleteRule) = (1, rule)
    return relationship
  }

  static func toMany(
    _ name: String, ordered: Bool = false, rule: NSDeleteRule = .nullifyDeleteRule
  ) -> NSRelationshipDescription {
    let relationship = toOne(name, rule: rule)
    (relationship.maxCount, relationship.isOrdered) = (0, ordered)
    return relationship
  }

  static func entity(
    _ name: String, _ properties: [NSPropertyDescription]
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = properties
    return entity
  }

  static func link(
    _ one: NSRelationshipDescription, _ owner: NSEntityDescription,
    _ other: NSRelationshipDescription, _ otherOwner: NSEntityDescription
  ) {
    (one.destinationEntity, other.destinationEntity) = (otherOwner, owner)
    one.inverseRelationship = other
    other.inverseRelationship = one
  }

  static func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
  }

  /// People, companies, orders, tags, passports.
  static func shop() -> NSManagedObjectModel {
    let address = NSCompositeAttributeDescription()
    address.name = "address"
    address.elements = [
      attribute("street"), attribute("number", .integer32AttributeType),
      attribute("since", .dateAttributeType), attribute("rent", .decimalAttributeType),
    ]
    let orders = toMany("orders", ordered: true, rule: .cascadeDeleteRule)
    let customer = toOne("customer")
    let party = entity(
      "Party",
      [
        attribute("name", optional: false, default: "?"), attribute("id", .UUIDAttributeType),
        orders,
      ])
    party.isAbstract = true
    let (boss, reports) = (toOne("boss"), toMany("reports"))
    let friends = toMany("friends")
    let (passport, holder) = (toOne("passport", rule: .cascadeDeleteRule), toOne("holder"))
    let person = entity(
      "Person",
      [
        attribute("birth", .dateAttributeType), attribute("height", .doubleAttributeType),
        attribute("weight", .floatAttributeType), attribute("money", .decimalAttributeType),
        attribute("small", .integer16AttributeType), attribute("mid", .integer32AttributeType),
        attribute("big", .integer64AttributeType), attribute("flag", .booleanAttributeType),
        attribute("blob", .binaryDataAttributeType), attribute("site", .URIAttributeType),
        attribute("extra", .transformableAttributeType), address, boss, reports, friends, passport,
      ])
    let company = entity("Company", [attribute("vat")])
    company.uniquenessConstraints = [["vat"]]
    let passports = entity("Passport", [attribute("code"), holder])
    let (tags, tagged, watchers) = (
      toMany("tags", ordered: true), toMany("orders"), toMany("watchers")
    )
    let order = entity(
      "Order",
      [
        attribute("number", .integer64AttributeType, optional: false, default: 0),
        attribute("note"), attribute("total", .decimalAttributeType), customer, tags, watchers,
      ])
    order.uniquenessConstraints = [["number"]]
    let tag = entity("Tag", [attribute("title"), tagged])
    link(orders, party, customer, order)
    link(boss, person, reports, person)
    link(passport, person, holder, passports)
    link(tags, order, tagged, tag)
    (friends.destinationEntity, watchers.destinationEntity) = (person, person)
    friends.inverseRelationship = friends
    party.subentities = [person, company]
    return model([party, person, company, passports, order, tag])
  }
}
