import Foundation
import PredicateFormat
import PropertyLists
import TestSupport
import Testing

@testable import DataModels

/// Default values in files that say more than the value does: a decimal's trailing zeros, the order of a set.
@Suite struct ExactDefaultTests {
  /// A feature model's archive with 12.500 as a price's default.
  private static func priced() throws -> EditableArchive {
    var archive = try FeatureModel.archive()
    let value = try #require(archive.target(archive.property("price"), "NSDefaultValue"))
    archive[value, "NS.exponent"] = .integer(-3, width: 8)
    archive[value, "NS.mantissa"] = .data([0xD4, 0x30] + Array(repeating: 0, count: 14))
    return archive
  }

  private static func price(_ model: NSManagedObjectModel) throws -> NSAttributeDescription {
    try #require(model.entitiesByName["Order"]?.attributesByName["price"])
  }

  @Test(arguments: [false, true]) func aDecimalGivesWayToAnother(inCopy: Bool) throws {
    var model = try ModelArchive.decode(Self.priced().bytes)
    if inCopy { model = model.deepCopy() }
    let price = try Self.price(model)
    for value in [Decimal(7), Decimal.nan, Decimal(string: "12.5")] {
      price.defaultValue = value
      let again = try Self.price(ModelArchive.decode(ModelArchive.encode(model)))
      #expect(
        (again.defaultValue as? Decimal).map { $0.isNaN ? "NaN" : "\($0)" }
          == value.map { $0.isNaN ? "NaN" : "\($0)" })
    }
  }

  @Test func aDecimalGivesWayToOtherTypes() throws {
    let model = try ModelArchive.decode(Self.priced().bytes)
    let price = try Self.price(model)
    let day = Date(timeIntervalSinceReferenceDate: 86_400)
    (price.attributeType, price.defaultValue) = (.dateAttributeType, day)
    let again = try Self.price(ModelArchive.decode(ModelArchive.encode(model)))
    #expect(again.defaultValue as? Date == day)
  }

  // MARK: Sets

  private static func model(default value: Any) -> NSManagedObjectModel {
    let options = attribute("options", .transformable, default: value)
    let thing = entity("Thing", [options])
    thing.userInfo = ["options": value]
    return NSManagedObjectModel(of: [thing])
  }

  @Test func setsComeBackAsSets() throws {
    let words: Set<String> = ["red", "green", "blue"]
    for value in [words as Any, NSSet(array: Array(words)), words as Set<AnyHashable>] {
      let bytes = try ModelArchive.encode(Self.model(default: value))
      #expect(try EditableArchive(bytes).instances(of: "NSSet").count == 3)
      let again = try ModelArchive.decode(bytes)
      let thing = try #require(again.entitiesByName["Thing"])
      #expect(thing.attributesByName["options"]?.defaultValue as? Set<String> == words)
      #expect(thing.userInfo?["options"] as? Set<String> == words)
      #expect(try ModelArchive.encode(again) == bytes)
      #expect(try ModelArchive.encode(again.deepCopy()) == bytes)
    }
    let mixed: Set<AnyHashable> = [1, "one", Set([2.5, 3.5])]
    let again = try ModelArchive.decode(ModelArchive.encode(Self.model(default: mixed)))
    let found = again.entitiesByName["Thing"]?.attributesByName["options"]?.defaultValue
    #expect(found as? Set<AnyHashable> == mixed)
  }

  @Test func orderedSetsComeBackInOrder() throws {
    let words = ["red", "green", "blue"]
    let bytes = try ModelArchive.encode(Self.model(default: NSOrderedSet(array: words)))
    let again = try ModelArchive.decode(bytes)
    let found = again.entitiesByName["Thing"]?.attributesByName["options"]?.defaultValue
    #expect((found as? NSOrderedSet)?.array as? [String] == words)
    #expect(try ModelArchive.encode(again) == bytes)
  }

  /// Foundation's decimal numbers can't be hashed.
  @Test func orderedSetsHaveDecimalNumbers() throws {
    let one = HashableDecimalNumber(decimal: try #require(Decimal(string: "1.5")))
    let bytes = try ModelArchive.encode(Self.model(default: NSOrderedSet(array: [one])))
    let again = try ModelArchive.decode(bytes)
    let found = again.entitiesByName["Thing"]?.attributesByName["options"]?.defaultValue
    #expect((found as? NSOrderedSet)?.count == 1)
    #expect(try ModelArchive.encode(again) == bytes)
  }

  /// Apple's archivers write the members in the order of a hash table.
  @Test func aSetKeepsTheOrderOfItsFile() throws {
    func members(_ archive: EditableArchive) throws -> [String] {
      let value = try #require(archive.target(archive.property("options"), "NSDefaultValue"))
      guard case .array(let members)? = archive[value, "NS.objects"] else { return [] }
      return members.map { member in
        guard case .reference(let target) = member,
          case .string(let text) = archive.objects[target]
        else { return "" }
        return text
      }
    }
    let words: Set<String> = ["red", "green", "blue"]
    var archive = try EditableArchive(ModelArchive.encode(Self.model(default: words)))
    let value = try #require(archive.target(archive.property("options"), "NSDefaultValue"))
    guard case .array(let listed)? = archive[value, "NS.objects"] else {
      throw CocoaError(.coderReadCorrupt)
    }
    archive[value, "NS.objects"] = .array([listed[1], listed[0], listed[2]])
    let order = try members(archive)
    #expect(order != order.sorted())
    let model = try ModelArchive.decode(archive.bytes)
    #expect(try members(EditableArchive(ModelArchive.encode(model))) == order)
    model.entities[0].attributesByName["options"]?.defaultValue = ["red", "blue"] as Set<String>
    #expect(try members(EditableArchive(ModelArchive.encode(model))) == ["blue", "red"])
  }
}
