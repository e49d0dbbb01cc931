import Foundation
import PredicateFormat
import TestSupport
import Testing

@testable import DataModels

/// Numbers of Foundation's in what a model says, which Linux casts to any Swift number type, Booleans among them.
@Suite struct FoundationNumberTests {
  private static let numbers: [String: NSNumber] = [
    "five": 5, "zero": NSNumber(value: 0), "byte": NSNumber(value: Int8(7)), "half": 0.5,
    "whole": NSNumber(value: 2.0), "yes": true, "no": NSNumber(value: false),
    "small": NSNumber(value: UInt64(9)), "large": NSNumber(value: UInt64.max),
    "exact": NSDecimalNumber(string: "1.25"),
  ]

  private func check(_ values: [AnyHashable: Any]) {
    #expect(values["five"] as? Int == 5 && !(values["five"] is Bool))
    #expect(values["zero"] as? Int == 0 && !(values["zero"] is Bool))
    #expect(values["byte"] as? Int == 7)
    #expect(values["half"] as? Double == 0.5)
    #expect(values["whole"] as? Double == 2)
    #expect(values["yes"] as? Bool == true)
    #expect(values["no"] as? Bool == false)
    #expect(values["small"] as? Int == 9)
    #expect(values["large"] as? UInt64 == .max)
    #expect(values["exact"] as? Decimal == Decimal(string: "1.25"))
  }

  @Test func theyComeBackAsNumbers() throws {
    let attribute = NSAttributeDescription()
    attribute.name = "options"
    attribute.attributeType = .transformableAttributeType
    attribute.defaultValue = Self.numbers as NSDictionary
    let entity = NSEntityDescription()
    entity.name = "Order"
    entity.properties = [attribute]
    entity.userInfo = Self.numbers
    let model = NSManagedObjectModel()
    model.entities = [entity]
    model.versionIdentifiers = [NSNumber(value: 3)]
    let read = try ModelArchive.decode(ModelArchive.encode(model))
    check(try #require(read.entitiesByName["Order"]?.userInfo))
    let found = try #require(read.entitiesByName["Order"]?.attributesByName["options"])
    check(try #require(found.defaultValue as? [AnyHashable: Any]))
    #expect(read.versionIdentifiers == [3])
  }

  /// A list in a predicate may have any number that a predicate may have by itself.
  @Test func theyComeBackInLists() throws {
    let members: [PredicateValue] = [.float(0.5), .unsigned(.max), .integer(-1)]
    let entity = NSEntityDescription()
    entity.name = "Order"
    let attribute = NSAttributeDescription()
    (attribute.name, attribute.attributeType) = ("size", .doubleAttributeType)
    attribute.setValidation(
      [
        NSPredicate(.compare(.evaluatedObject, .in, .constant(.array(members)))),
        NSPredicate(.compare(.evaluatedObject, .in, .constant(.set([.float(0.5)])))),
      ], warnings: ["a", "b"])
    entity.properties = [attribute]
    let read = try ModelArchive.decode(
      ModelArchive.encode(NSManagedObjectModel(of: [entity])))
    let found = try #require(read.entitiesByName["Order"]?.attributesByName["size"])
    let first = try #require(found.validationPredicates.first)
    #expect(first.evaluate(with: 0.5) && first.evaluate(with: UInt64.max))
    #expect(!first.evaluate(with: 0.25))
    #expect(found.validationPredicates.last?.evaluate(with: Float(0.5)) == true)
  }
}
