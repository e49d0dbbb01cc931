import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import DataModels

/// Content unknown to the decoder is preserved and written back.
@Suite struct PreservedContentTests {
  /// Reads an archive into a model, writes the model, and returns the resulting archive.
  private static func rewritten(_ archive: EditableArchive) throws -> EditableArchive {
    let model = try ModelArchive.decode(archive.bytes)
    let bytes = try ModelArchive.encode(model)
    #expect(try ModelArchive.encode(ModelArchive.decode(bytes)) == bytes)
    return try EditableArchive(bytes)
  }

  /// One object of each class that may have unknown keys.
  private static let holders: [(String, @Sendable (EditableArchive) -> Int)] = [
    ("model", { _ in 1 }),
    ("entity", { $0.entity("Order") }),
    ("attribute", { $0.property("paid") }),
    ("composite", { $0.property("address") }),
    ("element of a composite", { $0.property("city") }),
    ("derived attribute", { $0.property("count") }),
    ("relationship", { $0.property("orders") }),
    ("fetched property", { $0.property("latest") }),
    ("fetch request", { $0.instances(of: "NSFetchRequest")[0] }),
    ("index", { $0.instances(of: "NSFetchIndexDescription")[0] }),
    ("index element", { $0.instances(of: "NSFetchIndexElementDescription")[0] }),
  ]

  @Test(arguments: holders.indices)
  func unknownKeysAreWrittenBack(index: Int) throws {
    let holder = Self.holders[index]
    var archive = try FeatureModel.archive()
    let object = holder.1(archive)
    let unknown = archive.addClass("FutureThing", "NSObject")
    let thing = archive.addInstance(of: unknown, [ArchiveField("size", .double(2.5))])
    archive[object, "XFutureText"] = archive.text("in the future")
    archive[object, "XFutureNumber"] = .integer(7, width: 1)
    archive[object, "XFutureThing"] = .reference(thing)
    archive[object, "XFutureList"] = .array([.reference(thing), .integer(1, width: 1)])
    archive[object, "XFutureOwner"] = .reference(archive.entity("Person"))
    let copy = try Self.rewritten(archive)
    let found = holder.1(copy)
    #expect(copy.target(found, "XFutureText").map { copy.objects[$0] } == .string("in the future"))
    #expect(copy[found, "XFutureNumber"] == .integer(7, width: 1))
    let kept = try #require(copy.target(found, "XFutureThing"))
    #expect(copy.className(ofObject: kept) == "FutureThing")
    #expect(copy[kept, "size"] == .double(2.5))
    #expect(copy[found, "XFutureList"] == .array([.reference(kept), .integer(1, width: 1)]))
    #expect(copy.target(found, "XFutureOwner") == copy.entity("Person"))
  }

  /// An unknown subclass that a future version may introduce is read as its known superclass, and keeps its name.
  @Test func unknownSubclassesKeepTheirName() throws {
    var archive = try FeatureModel.archive()
    let paid = archive.property("paid")
    archive[paid, "$class"] = .reference(
      archive.addClass(
        "NSFutureAttributeDescription", "NSAttributeDescription", "NSPropertyDescription",
        "NSObject"))
    archive[paid, "NSFutureSetting"] = .boolean(true)
    let copy = try Self.rewritten(archive)
    #expect(copy.className(ofObject: copy.property("paid")) == "NSFutureAttributeDescription")
    #expect(copy[copy.property("paid"), "NSFutureSetting"] == .boolean(true))
    #expect(copy[copy.property("paid"), "NSAttributeType"] == .integer(800, width: 2))
  }

  /// Keys that the flag word declares absent are ignored, and written back unchanged.
  @Test func hiddenKeysStayHidden() throws {
    var archive = try FeatureModel.archive()
    let paid = archive.property("paid")
    guard case .integer(let word, _)? = archive[paid, "_P"] else {
      throw CocoaError(.coderReadCorrupt)
    }
    #expect(word & 0x40 != 0)
    archive[paid, "NSUserInfo"] = archive[archive.entity("Person"), "NSUserInfo"]
    archive[paid, "NSVersionHashModifier"] = archive.text("hidden")
    let model = try ModelArchive.decode(archive.bytes)
    let attribute = try #require(model.entitiesByName["Order"]?.attributesByName["paid"])
    #expect(attribute.userInfo?.isEmpty ?? true)
    #expect(attribute.versionHashModifier == nil)
    let copy = try Self.rewritten(archive)
    let found = copy.property("paid")
    #expect(
      copy[found, "_P"] == .integer(word, width: 1) || copy[found, "_P"] == archive[paid, "_P"])
    #expect(
      copy.target(found, "NSVersionHashModifier").map { copy.objects[$0] } == .string("hidden"))
    #expect(copy.target(found, "NSUserInfo") != nil)
  }

  @Test func unknownDefaultValuesAndPredicatesAreCarriedAlong() throws {
    var archive = try FeatureModel.archive()
    let color = archive.addInstance(
      of: archive.addClass("UIColor", "NSObject"), [ArchiveField("red", .double(1))])
    let predicate = archive.addInstance(
      of: archive.addClass("NSFuturePredicate", "NSPredicate", "NSObject"),
      [ArchiveField("x", .integer(1, width: 1))])
    archive[archive.property("tags"), "NSDefaultValue"] = .reference(color)
    let list = try #require(archive.target(archive.property("name"), "NSValidationPredicates"))
    guard case .array(var members)? = archive[list, "NS.objects"] else {
      throw CocoaError(.coderReadCorrupt)
    }
    members[0] = .reference(predicate)
    archive[list, "NS.objects"] = .array(members)
    let copy = try Self.rewritten(archive)
    let value = try #require(copy.target(copy.property("tags"), "NSDefaultValue"))
    #expect(copy.className(ofObject: value) == "UIColor")
    #expect(copy[value, "red"] == .double(1))
    #expect(copy.instances(of: "NSFuturePredicate").count == 1)
  }

  /// References nested in lists, where no archiver writes them, can't be translated: they become nil, and never refer
  /// to another object.
  @Test func referencesInUnknownDepthsLeadNowhere() throws {
    var archive = try FeatureModel.archive()
    archive[1, "XDeep"] = .array([.array([.reference(archive.entity("Order"))])])
    let copy = try Self.rewritten(archive)
    #expect(copy[1, "XDeep"] == .array([.array([.reference(0)])]))
  }

  @Test func aDecimalKeepsItsForm() throws {
    var archive = try FeatureModel.archive()
    let value = try #require(archive.target(archive.property("price"), "NSDefaultValue"))
    archive[value, "NS.exponent"] = .integer(-3, width: 8)
    archive[value, "NS.length"] = .integer(2, width: 1)
    archive[value, "NS.compact"] = .boolean(true)
    archive[value, "NS.mantissa"] = .data([0xD4, 0x30] + Array(repeating: 0, count: 14))
    let copy = try Self.rewritten(archive)
    let kept = try #require(copy.target(copy.property("price"), "NSDefaultValue"))
    for field in archive.fields(ofObject: value) where field.key != "$class" {
      #expect(copy[kept, field.key] == field.value, "\(field.key)")
    }
  }
}
