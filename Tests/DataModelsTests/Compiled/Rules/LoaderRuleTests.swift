import Foundation
import PredicateFormat
import PropertyLists
import TestSupport
import Testing

@testable import DataModels

/// Violates each rule of Core Data's loader in turn: the error names the object and the key.
@Suite struct LoaderRuleTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var rule: String
    /// The error message without its location.
    var message: String
    var key: String?
    var code: ArchiveError.Code
    /// Violates the rule, and returns the object that the error must name.
    var breaking: @Sendable (inout EditableArchive) -> Int?

    init(
      _ rule: String, _ code: ArchiveError.Code, _ message: String, key: String? = nil,
      breaking: @escaping @Sendable (inout EditableArchive) -> Int?
    ) {
      self.rule = rule
      self.code = code
      self.message = message
      self.key = key
      self.breaking = breaking
    }

    var testDescription: String { rule }
  }

  @Test(arguments: modelCases + entityCases + propertyCases + valueCases)
  func brokenRulesAreNamed(rule: Case) throws {
    var archive = try FeatureModel.archive()
    let object = rule.breaking(&archive)
    let error = #expect(throws: ArchiveError.self) { try ModelArchive.decode(archive.bytes) }
    #expect(try error?.message == Self.filled(rule.message))
    #expect(error?.code == rule.code)
    #expect(error?.object == object)
    #expect(error?.key == rule.key)
  }

  /// Returns a message with the numbers inserted.
  private static func filled(_ message: String) throws -> String {
    let archive = try FeatureModel.archive()
    return message.replacingOccurrences(of: "ORDER", with: "\(archive.entity("Order"))")
      .replacingOccurrences(of: "PERSON", with: "\(archive.entity("Person"))")
      .replacingOccurrences(
        of: "INDEX", with: "\(archive.instances(of: "NSFetchIndexDescription")[0])"
      )
      .replacingOccurrences(of: "DEPTH", with: "\(PredicateLimits.depth)")
  }

  @Test func theArchiveIsSoundBeforeItIsBroken() throws {
    let archive = try FeatureModel.archive()
    let model = try ModelArchive.decode(archive.bytes)
    #expect(ModelLikeness.difference(model, FeatureModel.model()) == nil)
    #expect(try ModelArchive.encode(model) == ModelArchive.encode(FeatureModel.model()))
  }

  // MARK: The model

  private static let modelCases = [
    Case("no root", .valueNotFound, "the archive has no root object", key: "root") { archive in
      archive.top = []
      return nil
    },
    Case("nil root", .valueNotFound, "the archive has no root object", key: "root") { archive in
      archive.top = [ArchiveField("root", .reference(0))]
      return nil
    },
    Case(
      "root of another class", .invalidContent,
      "not a model: the root object is of class NSEntityDescription"
    ) { archive in
      archive.top = [ArchiveField("root", .reference(archive.entity("Order")))]
      return archive.entity("Order")
    },
    Case(
      "entities are no dictionary", .typeMismatch, "expected a dictionary", key: "NSEntities"
    ) { archive in
      let set = archive.target(1, "NSVersionIdentifiers") ?? 0
      archive[1, "NSEntities"] = .reference(set)
      return set
    },
    Case(
      "an entity under another's name", .invalidContent,
      "an entity listed as 'Ordre' is called 'Order'", key: "NSEntityName"
    ) { archive in
      let entities = archive.target(1, "NSEntities") ?? 0
      guard case .array(var keys)? = archive[entities, "NS.keys"],
        case .array(let values)? = archive[entities, "NS.objects"],
        let place = values.firstIndex(of: .reference(archive.entity("Order")))
      else { return nil }
      keys[place] = archive.text("Ordre")
      archive[entities, "NS.keys"] = .array(keys)
      return archive.entity("Order")
    },
    Case(
      "more names than entities", .malformedArchive, "2 keys for 3 values", key: "NSEntities"
    ) { archive in
      let entities = archive.target(1, "NSEntities") ?? 0
      guard case .array(let keys)? = archive[entities, "NS.keys"] else { return nil }
      archive[entities, "NS.keys"] = .array(keys.dropLast())
      return entities
    },
    Case(
      "an entity listed twice", .invalidContent, "the entity 'Twin' is listed twice",
      key: "NSEntities"
    ) { archive in
      let entities = archive.target(1, "NSEntities") ?? 0
      guard case .array(let keys)? = archive[entities, "NS.keys"],
        case .array(let values)? = archive[entities, "NS.objects"],
        case .reference(let first) = values[0]
      else { return nil }
      archive[entities, "NS.keys"] = .array(keys + [archive.text("Twin")])
      archive[entities, "NS.objects"] = .array(values + [values[0]])
      return first
    },
    Case(
      "a configuration of something else", .invalidContent,
      "object 1 is not one of the model's entities", key: "NSConfigurations"
    ) { archive in
      let set = archive.instances(of: "NSSet").first { number in
        archive[number, "NS.objects"].map { value in
          if case .array(let members) = value { members.count == 2 } else { false }
        } ?? false
      }
      guard let set else { return nil }
      archive[set, "NS.objects"] = .array([.reference(1)])
      return set
    },
  ]

  // MARK: Entities

  private static let entityCases = [
    Case(
      "an entity of another model", .invalidContent,
      "the entity 'Order' belongs to another model",
      key: "NSManagedObjectModel"
    ) { archive in
      let order = archive.entity("Order")
      archive[order, "NSManagedObjectModel"] = .reference(order)
      return order
    },
    Case(
      "a superentity from elsewhere", .invalidContent,
      "it is linked to an entity that is not one of the model's", key: "NSSuperentity"
    ) { archive in
      let order = archive.entity("Order")
      let stranger = archive.add(archive.objects[order])
      archive[order, "NSSuperentity"] = .reference(stranger)
      return order
    },
    Case(
      "entities that descend from themselves", .invalidContent,
      "'Customer' is listed below 'Person', which is not its superentity", key: "NSSubentities"
    ) { archive in
      archive[archive.entity("Customer"), "NSSuperentity"] = .reference(archive.entity("Customer"))
      return archive.entity("Person")
    },
    Case(
      "a circle of superentities", .cycle, "the entity 'Order' descends from itself",
      key: "NSSuperentity"
    ) { archive in
      let order = archive.entity("Order")
      archive[order, "NSSuperentity"] = .reference(order)
      return order
    },
    Case(
      "a name that is a number", .typeMismatch, "expected text, found NSSet",
      key: "NSVersionHashModifier"
    ) { archive in
      let order = archive.entity("Order")
      archive[order, "NSVersionHashModifier"] = archive[1, "NSVersionIdentifiers"]
      return order
    },
    Case(
      "a class name that is an integer", .typeMismatch, "expected text, found integer",
      key: "NSClassNameForEntity"
    ) { archive in
      let order = archive.entity("Order")
      archive[order, "NSClassNameForEntity"] = .integer(3, width: 1)
      return order
    },
    Case(
      "a uniqueness constraint that isn't text", .typeMismatch, "expected the name of a property",
      key: "NSUniqueTuples"
    ) { archive in
      let order = archive.entity("Order")
      guard let list = archive.target(order, "NSUniqueTuples"),
        case .array(let tuples)? = archive[list, "NS.objects"],
        case .reference(let tuple) = tuples[0]
      else { return nil }
      archive[tuple, "NS.objects"] = .array([.reference(1)])
      return 1
    },
    Case(
      "an index that is none", .typeMismatch, "expected a fetch index, found NSManagedObjectModel"
    ) { archive in
      let order = archive.entity("Order")
      guard let list = archive.target(order, "NSFetchIndexDescriptions") else { return nil }
      archive[list, "NS.objects"] = .array([.reference(1)])
      return 1
    },
    Case(
      "an index of another entity", .invalidContent,
      "the index belongs to object 1, but object ORDER lists it", key: "NSEntity"
    ) { archive in
      let index = archive.instances(of: "NSFetchIndexDescription")[0]
      archive[index, "NSEntity"] = .reference(1)
      return index
    },
    Case(
      "an element of another index", .invalidContent,
      "the element belongs to object 1, but object INDEX lists it", key: "NSFetchIndexDescription"
    ) { archive in
      let element = archive.instances(of: "NSFetchIndexElementDescription")[0]
      archive[element, "NSFetchIndexDescription"] = .reference(1)
      return element
    },
    Case("an index without a name", .valueNotFound, "the index has no name", key: "NSIndexName") {
      archive in
      let index = archive.instances(of: "NSFetchIndexDescription")[0]
      archive[index, "NSIndexName"] = .reference(0)
      return index
    },
  ]

  // MARK: Properties

  private static let propertyCases = [
    Case(
      "properties that are no dictionary", .typeMismatch, "expected a dictionary",
      key: "NSProperties"
    ) { archive in
      archive[archive.entity("Order"), "NSProperties"] = archive[1, "NSVersionIdentifiers"]
      return archive.target(1, "NSVersionIdentifiers")
    },
    Case(
      "a property of another entity", .invalidContent,
      "it is listed by object ORDER, but belongs to object PERSON", key: "NSEntity"
    ) { archive in
      let paid = archive.property("paid")
      archive[paid, "NSEntity"] = .reference(archive.entity("Person"))
      return paid
    },
    Case(
      "a property of no kind", .typeMismatch, "'paid' is of class NSSet, which isn't a property",
      key: "NSProperties"
    ) { archive in
      let paid = archive.property("paid")
      archive[paid, "$class"] = archive.target(1, "NSVersionIdentifiers").flatMap {
        archive[$0, "$class"]
      }
      return paid
    },
    Case(
      "a property without a name", .valueNotFound, "the property has no name",
      key: "NSPropertyName"
    ) { archive in
      let paid = archive.property("paid")
      archive[paid, "NSPropertyName"] = .reference(0)
      return paid
    },
    Case(
      "a property under another's name", .invalidContent,
      "a property listed as 'paid' is called 'paied'", key: "NSPropertyName"
    ) { archive in
      let paid = archive.property("paid")
      archive[paid, "NSPropertyName"] = archive.text("paied")
      return paid
    },
    Case(
      "a flag word that is text", .typeMismatch, "expected an integer, found string", key: "_P"
    ) { archive in
      let paid = archive.property("paid")
      archive[paid, "_P"] = archive.text("243")
      return paid
    },
    Case("no such type", .invalidContent, "750 isn't an attribute type", key: "NSAttributeType") {
      archive in
      let paid = archive.property("paid")
      archive[paid, "NSAttributeType"] = .integer(750, width: 2)
      return paid
    },
    Case(
      "a destination from elsewhere", .invalidContent,
      "object 1 is not one of the model's entities", key: "NSDestinationEntity"
    ) { archive in
      let owner = archive.property("owner")
      archive[owner, "NSDestinationEntity"] = .reference(1)
      return owner
    },
    Case(
      "an inverse from elsewhere", .invalidContent,
      "the inverse of 'owner', object 1, is not a relationship of the model's",
      key: "NSInverseRelationship"
    ) { archive in
      archive[archive.property("owner"), "NSInverseRelationship"] = .reference(1)
      return 1
    },
    Case(
      "no such delete rule", .invalidContent, "-1 isn't a delete rule; 0 to 3 are",
      key: "NSDeleteRule"
    ) { archive in
      let owner = archive.property("owner")
      archive[owner, "NSDeleteRule"] = .integer(-1, width: 8)
      return owner
    },
    Case(
      "an element that isn't an attribute", .typeMismatch,
      "an element of a composite isn't an attribute",
      key: "NSCompositeElements"
    ) { archive in
      let address = archive.property("address")
      let owner = archive.property("owner")
      guard let list = archive.target(address, "NSCompositeElements") else { return nil }
      archive[list, "NS.objects"] = .array([.reference(owner)])
      return owner
    },
  ]

  // MARK: Values, predicates and requests

  private static let valueCases = [
    Case("predicates in a list of lists", .typeMismatch, "expected a predicate, found NSArray") {
      archive in
      let list = archive.target(archive.property("name"), "NSValidationPredicates")
      guard let list else { return nil }
      archive[list, "NS.objects"] = .array([.reference(list)])
      return list
    },
    Case(
      "user info that is a list", .typeMismatch, "expected a dictionary", key: "NSUserInfo"
    ) { archive in
      let person = archive.entity("Person")
      let list = archive.target(archive.property("name"), "NSValidationWarnings")
      archive[person, "NSUserInfo"] = list.map { .reference($0) }
      return list
    },
    Case("user info that contains itself", .cycle, "a collection contains itself") { archive in
      guard let info = archive.target(archive.entity("Person"), "NSUserInfo") else { return nil }
      archive[info, "NS.objects"] = .array([.reference(info), .reference(info)])
      return info
    },
    Case(
      "a default value that is an entity", .classNotAllowed,
      "NSEntityDescription is not one of Foundation's plain classes, or is damaged"
    ) { archive in
      archive[archive.property("paid"), "NSDefaultValue"] = .reference(archive.entity("Order"))
      return archive.entity("Order")
    },
    Case(
      "a default value in place", .typeMismatch, "expected a reference, found boolean",
      key: "NSDefaultValue"
    ) { archive in
      let paid = archive.property("paid")
      archive[paid, "NSDefaultValue"] = .boolean(true)
      return paid
    },
    Case("no such operator", .invalidContent, "12 isn't an operator", key: "NSOperatorType") {
      archive in
      let position = archive.instances(of: "NSMatchingPredicateOperator")[0]
      archive[position, "NSOperatorType"] = .integer(12, width: 1)
      return position
    },
    Case(
      "a predicate that contains itself", .limitExceeded,
      "predicates and expressions nest more than DEPTH deep"
    ) { archive in
      let compound = archive.instances(of: "NSCompoundPredicate")[0]
      guard let list = archive.target(compound, "NSSubpredicates") else { return nil }
      archive[list, "NS.objects"] = .array([.reference(compound)])
      return compound
    },
    Case(
      "a fetch request that fetches itself", .limitExceeded,
      "fetch requests nest more than 8 deep"
    ) { archive in
      let fetched = archive.property("latest")
      guard let request = archive.target(fetched, "NSFetchRequest") else { return nil }
      let copy = archive.add(archive.objects[fetched])
      archive[copy, "NSEntity"] = .reference(0)
      let array = archive.addInstance(
        of: archive.addClass("NSArray", "NSObject"),
        [ArchiveField("NS.objects", .array([.reference(copy)]))])
      archive[request, "NSValuesToFetch"] = .reference(array)
      return request
    },
    Case(
      "a template that is none", .typeMismatch, "expected a fetch request, found NSSet"
    ) { archive in
      guard let templates = archive.target(1, "NSFetchRequestTemplates"),
        let set = archive.target(1, "NSVersionIdentifiers")
      else { return nil }
      archive[templates, "NS.objects"] = .array([.reference(set)])
      return set
    },
    Case(
      "a sort descriptor that is none", .typeMismatch, "expected a sort descriptor",
      key: "NSSortDescriptors"
    ) { archive in
      let request = archive.target(archive.property("latest"), "NSFetchRequest") ?? 0
      guard let list = archive.target(request, "NSSortDescriptors") else { return nil }
      archive[list, "NS.objects"] = .array([.reference(1)])
      return 1
    },
  ]
}
