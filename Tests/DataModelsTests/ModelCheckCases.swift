import Foundation
import PredicateFormat
import TestSupport

@testable import DataModels

// Rules about relationships, indexes and the model, each violated separately.
extension ModelCheckTests {
  private static func pair(
    _ change: (NSRelationshipDescription, NSRelationshipDescription) -> Void = { _, _ in }
  ) -> NSManagedObjectModel {
    let (many, one) = (relationship("many"), relationship("one", max: 1))
    let (a, b) = (entity("A", [many]), entity("B", [one]))
    many.destinationEntity = b
    one.destinationEntity = a
    link(many, one)
    change(many, one)
    return model([a, b])
  }

  static let relationshipCases: [Case] = [
    Case("a good pair", []) { pair() },
    Case("no destination", ["error destination A.r"]) {
      model([entity("A", [relationship("r")])])
    },
    Case("destination elsewhere", ["error destination A.r"]) {
      model([entity("A", [relationship("r", to: Kept.keep(entity("B")))])])
    },
    Case("unknown destination name", ["error destination A.r"]) {
      let r = relationship("r")
      r.destinationEntityName = "B"
      return model([entity("A", [r])])
    },
    Case("no inverse", ["warning missing-inverse A.r"]) {
      let r = relationship("r")
      let a = entity("A", [r])
      r.destinationEntity = a
      return model([a])
    },
    Case("one-sided inverse", ["error inverse A.many", "warning missing-inverse B.one"]) {
      pair { _, one in one.inverseRelationship = nil }
    },
    Case("unknown inverse name", ["error inverse A.many", "error inverse B.one"]) {
      pair { many, _ in
        many.inverseRelationship = nil
        many.inverseRelationshipName = "two"
      }
    },
    Case("known by name", []) {
      pair { many, one in
        many.inverseRelationship = nil
        many.inverseRelationshipName = "one"
        many.destinationEntity = nil
        many.destinationEntityName = "B"
      }
    },
    Case("inverse of another entity", ["error inverse A.many", "error inverse B.one"]) {
      let (many, one, other) = (relationship("many"), relationship("one"), entity("C"))
      let (a, b) = (entity("A", [many]), entity("B", [one]))
      many.destinationEntity = other
      one.destinationEntity = other
      link(many, one)
      return model([a, b, other])
    },
    Case(
      "inverse leads elsewhere",
      ["error inverse A.many", "error inverse B.one", "warning missing-inverse C.other"]
    ) {
      let other = relationship("other")
      let broken = pair { many, one in
        one.destinationEntity = nil
        one.destinationEntityName = "C"
      }
      let c = entity("C", [other])
      other.destinationEntity = broken.entities[1]
      broken.entities += [c]
      let one = broken.entitiesByName["B"]?.relationshipsByName["one"]
      one?.destinationEntity = c
      one?.inverseRelationship = broken.entitiesByName["A"]?.relationshipsByName["many"]
      return broken
    },
    Case("inverse inherited by the destination", []) {
      let (many, one) = (relationship("many"), relationship("one", max: 1))
      let (a, base, b) = (entity("A", [many]), entity("Base", [one]), entity("B"))
      base.subentities = [b]
      many.destinationEntity = b
      one.destinationEntity = a
      link(many, one)
      return model([a, base, b])
    },
    Case("transient at one end", ["warning inverse A.many", "warning inverse B.one"]) {
      pair { many, _ in many.isTransient = true }
    },
    Case("counts", ["error counts A.many", "warning counts B.one"]) {
      pair { many, one in
        many.maxCount = 2
        many.minCount = 3
        one.minCount = -1
      }
    },
    Case("minus one", []) { pair { many, _ in many.maxCount = -1 } },
    Case("ordered to-one", ["warning ordered-to-one B.one"]) {
      pair { _, one in one.isOrdered = true }
    },
    Case("unique with a mandatory inverse", ["warning uniqueness-inverse A.many"]) {
      let both = pair { _, one in one.isOptional = false }
      both.entities[0].properties += [attribute("id")]
      both.entities[0].uniquenessConstraints = [["id"]]
      return both
    },
    Case("unique above, with a mandatory inverse", ["warning uniqueness-inverse A.many"]) {
      let both = pair { _, one in one.isOptional = false }
      let base = entity("Base", [attribute("id")])
      base.uniquenessConstraints = [["id"]]
      base.subentities = [both.entities[0]]
      both.entities.append(base)
      return both
    },
    Case("no action", ["warning delete-rule A.many"]) {
      pair { many, _ in many.deleteRule = .noActionDeleteRule }
    },
  ]

  private static func indexed(
    _ property: NSPropertyDescription, named name: String = "i",
    _ type: NSFetchIndexElementType = .binary
  ) -> NSFetchIndexDescription {
    NSFetchIndexDescription(
      name: name,
      elements: [NSFetchIndexElementDescription(property: property, collationType: type)])
  }

  private static func holder(
    _ properties: [NSPropertyDescription], _ indexes: [NSFetchIndexDescription]
  ) -> NSManagedObjectModel {
    let a = entity("A", properties)
    a.indexes = indexes
    return model([a])
  }

  static let indexCases: [Case] = [
    Case("a good index", []) {
      let x = attribute("x")
      return holder([x], [indexed(x)])
    },
    Case("no name", ["error index-name A"]) {
      let x = attribute("x")
      return holder([x], [indexed(x, named: "")])
    },
    Case("same name", ["error index-name A.i"]) {
      let x = attribute("x")
      return holder([x], [indexed(x), indexed(x)])
    },
    Case("over nothing", ["warning index-element A.i"]) {
      holder([], [NSFetchIndexDescription(name: "i", elements: nil)])
    },
    Case("over unknown", ["error index-element A.i"]) { holder([], [indexed(attribute("x"))]) },
    Case("over transient", ["error index-element A.i"]) {
      let x = attribute("x")
      x.isTransient = true
      return holder([x], [indexed(x)])
    },
    Case("R-tree over a text", ["error index-type A.i"]) {
      let x = attribute("x")
      return holder([x], [indexed(x, .rTree)])
    },
    Case("R-tree over numbers", []) {
      let x = attribute("x", .double)
      return holder([x], [indexed(x, .rTree)])
    },
    Case("mixed", ["error index-type A.i"]) {
      let (x, y) = (attribute("x", .double), attribute("y", .double))
      let index = indexed(x, .rTree)
      index.elements += [NSFetchIndexElementDescription(property: y, collationType: .binary)]
      return holder([x, y], [index])
    },
    Case("over an expression", []) {
      let e = NSExpressionDescription()
      e.name = "e"
      return holder([], [indexed(e)])
    },
    Case("over an element of a composite", []) {
      let (c, x) = (NSCompositeAttributeDescription(), attribute("x"))
      c.name = "c"
      c.elements = [x]
      let element = NSFetchIndexElementDescription(
        propertyName: "c.x", expression: nil, collationType: .binary, isAscending: true)
      return holder([c], [NSFetchIndexDescription(name: "i", elements: [element])])
    },
    Case("compound over unknown", ["error index-element A.y"]) {
      let a = entity("A", [attribute("x")])
      a.compoundIndexes = [["x", "y"]]
      return model([a])
    },
  ]

  private static func template(
    _ request: NSFetchRequest<NSFetchRequestResult>
  ) -> NSManagedObjectModel {
    let r = relationship("r")
    let a = entity("A", [attribute("x"), r])
    r.destinationEntity = a
    r.inverseRelationship = r
    let holder = model([a])
    holder.setFetchRequestTemplate(request, forName: "t")
    return holder
  }

  private static func template(_ paths: [String]) -> NSManagedObjectModel {
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "A")
    request.predicate = NSPredicate(
      .and(paths.map { .compare(.key($0), .equalTo, .variable("V")) }))
    return template(request)
  }

  static let modelCases: [Case] = [
    Case("template without entity", ["error fetch-request-entity "]) {
      template(NSFetchRequest<NSFetchRequestResult>())
    },
    Case("template for an unknown entity", ["error fetch-request-entity "]) {
      template(NSFetchRequest<NSFetchRequestResult>(entityName: "B"))
    },
    Case("template for an entity elsewhere", ["error fetch-request-entity "]) {
      let request = NSFetchRequest<NSFetchRequestResult>()
      request.entity = Kept.keep(entity("B"))
      return template(request)
    },
    Case("a good template", []) { template(["x", "r.x", "r.@count", "objectID", "x.length"]) },
    Case("template that asks too much", ["warning key-path ", "warning key-path "]) {
      template(["y", "r.r.z"])
    },
    Case("configuration of another model", ["error configuration-member "]) {
      let holder = model([entity("A")])
      holder.storedConfigurations["C"] = [entity("B")]
      return holder
    },
    Case("reserved configuration", ["error configuration-name "]) {
      let holder = model([entity("A")])
      holder.storedConfigurations["PF_DEFAULT_CONFIGURATION_NAME"] = []
      return holder
    },
  ]
}
