import Foundation
import PredicateFormat

import class PredicateFormat.NSExpression

@testable import DataModels

extension FeatureModels {
  /// Relationships of every kind.
  static let relationships: [Feature] = [
    Feature(name: "Relationship-OneToOne") { related(max: (1, 1)) },
    Feature(name: "Relationship-OneToMany") { related(max: (0, 1)) },
    Feature(name: "Relationship-ManyToMany") { related(max: (0, 0)) },
    Feature(name: "Relationship-Ordered") { related(max: (0, 1)) { $0.isOrdered = true } },
    Feature(name: "Relationship-Bounds") {
      related(max: (5, 1)) {
        $0.minCount = 2
        $0.isOptional = false
      }
    },
    Feature(name: "Relationship-DeleteRules") {
      let (left, right) = (entity("Left"), entity("Right"))
      for rule in NSDeleteRule.allCases {
        relate(
          (left, relationship("r\(rule.rawValue)", to: right) { $0.deleteRule = rule }),
          (right, relationship("l\(rule.rawValue)", to: left) { $0.deleteRule = rule }))
      }
      return model(left, right)
    },
    Feature(name: "Relationship-NoInverse") {
      let (left, right) = (entity("Left"), entity("Right"))
      left.properties = [relationship("right", to: right)]
      return model(left, right)
    },
    Feature(name: "Relationship-ToItself") {
      let node = entity("Node")
      relate(
        (node, relationship("children", to: node, max: 0)),
        (node, relationship("parent", to: node)))
      let friends = relationship("friends", to: node, max: 0)
      friends.inverseRelationship = friends
      node.properties += [friends]
      return model(node)
    },
    Feature(name: "Relationship-Transient") { related(max: (0, 1)) { $0.isTransient = true } },
  ]

  /// Two entities with relationships in both directions.
  private static func related(
    max: (Int, Int), _ change: (NSRelationshipDescription) -> Void = { _ in }
  ) -> NSManagedObjectModel {
    let (left, right) = (entity("Left"), entity("Right"))
    let one = relationship("rights", to: right, max: max.0, change)
    let other = relationship("lefts", to: left, max: max.1) { $0.isTransient = one.isTransient }
    relate((left, one), (right, other))
    return model(left, right)
  }

  /// The features of entities other than properties.
  static let entities: [Feature] = [
    Feature(name: "Entity-Empty") { model(entity("Item")) },
    Feature(name: "Entity-ClassNames") {
      let (plain, module, none) = (entity("Plain"), entity("InModule"), entity("Unnamed"))
      module.managedObjectClassName = "App.InModule"
      none.managedObjectClassName = nil
      return model(plain, module, none)
    },
    Feature(name: "Entity-Inheritance") {
      let party = entity("Party", attribute("name"))
      let (person, company) = (entity("Person", attribute("age", .integer16)), entity("Company"))
      let employee = entity("Employee", attribute("salary", .decimal))
      party.isAbstract = true
      party.subentities = [person, company]
      person.subentities = [employee]
      relate(
        (company, relationship("staff", to: employee, max: 0)),
        (employee, relationship("employer", to: company)))
      return model(party, person, company, employee)
    },
    Feature(name: "Entity-Uniqueness") {
      let item = entity("Item", attribute("code"), attribute("region"), attribute("serial", .uuid))
      item.uniquenessConstraints = [["code", "region"], ["serial"]]
      return model(item)
    },
    Feature(name: "Entity-Spotlight") {
      let item = entity("Item", attribute("title"))
      item.coreSpotlightDisplayNameExpression = NSExpression(format: "title")
      return model(item)
    },
    Feature(name: "Entity-ForeignNames") {
      model(entity("Größe", attribute("naïve", default: "日本"), attribute("größe", .double)))
    },
  ]
}
