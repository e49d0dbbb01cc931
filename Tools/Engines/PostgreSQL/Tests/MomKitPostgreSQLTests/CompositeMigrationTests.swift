import Foundation
import MomKit
import MomKitPostgreSQL
import Testing

/// The elements of composite attributes are migrated like attributes.
@Suite(.enabled(if: TestServer.isThere)) struct CompositeMigrationTests {
  private func composite(
    _ name: String, _ elements: [NSAttributeDescription]
  ) -> NSCompositeAttributeDescription {
    let composite = NSCompositeAttributeDescription()
    (composite.name, composite.elements) = (name, elements)
    return composite
  }

  private func renamed(
    _ attribute: NSAttributeDescription, from name: String
  ) -> NSAttributeDescription {
    attribute.renamingIdentifier = name
    return attribute
  }

  private func model(_ properties: [NSPropertyDescription]) -> NSManagedObjectModel {
    let item = TestModel.entity("Item", [TestModel.attribute("n", .integer64AttributeType)])
    item.properties += properties
    let special = TestModel.entity("Special", [])
    item.subentities = [special]
    return TestModel.model([item, special])
  }

  private func old() -> NSManagedObjectModel {
    let inner = composite(
      "inner",
      [
        TestModel.attribute("y", .doubleAttributeType),
        TestModel.attribute("id", .UUIDAttributeType),
      ])
    return model([
      composite(
        "place",
        [
          TestModel.attribute("street"), TestModel.attribute("number", .doubleAttributeType),
          TestModel.attribute("flat"), TestModel.attribute("since", .dateAttributeType),
          TestModel.attribute("count", .integer64AttributeType), inner,
        ])
    ])
  }

  /// Another name for the street, numbers of other types, a new note, no flat, and another name for an inner element.
  private func new() -> NSManagedObjectModel {
    let inner = composite(
      "inner",
      [
        renamed(TestModel.attribute("z", .integer16AttributeType), from: "y"),
        TestModel.attribute("id", .UUIDAttributeType),
      ])
    return model([
      composite(
        "place",
        [
          renamed(TestModel.attribute("road"), from: "street"),
          TestModel.attribute("number", .integer32AttributeType),
          TestModel.attribute("count", .decimalAttributeType),
          TestModel.attribute("since", .dateAttributeType),
          TestModel.attribute("note", default: "new"), inner,
        ]),
      // A new composite attribute.
      composite("box", [TestModel.attribute("size", .integer32AttributeType, default: 3)]),
    ])
  }

  private static func text(_ value: Any?) -> String {
    switch value {
    case nil: return "nil"
    case let values as [String: Any]:
      let entries = values.filter { !($0.value is NSNull) }.map { "\($0.key): \(text($0.value))" }
      return "{\(entries.sorted().joined(separator: ", "))}"
    case let date as Date: return "\(date.timeIntervalSinceReferenceDate)"
    case let value?: return "\(value)"
    }
  }

  private func describe(_ context: NSManagedObjectContext) throws -> [String] {
    try context.all("Item", sortedBy: "n").map { item in
      item.entity.attributesByName.keys.sorted().map { Self.text(item.value(forKey: $0)) }
        .joined(separator: " ")
    }
  }

  private func fill(_ context: NSManagedObjectContext) throws {
    let places: [[String: Any]?] = [
      [
        "street": "Main", "number": 2.75, "flat": "7", "count": 5,
        "since": Date(timeIntervalSinceReferenceDate: 17.25),
        "inner": ["y": 70_000.5, "id": UUID(uuidString: "00000000-0000-0000-0000-000000000007")]
          as [String: Any?],
      ],
      nil, ["number": -1e12], ["street": "it's \"quoted\" \\"], ["flat": "only"],
    ]
    for number in 0..<2500 {
      _ = context.insert(
        number % 3 == 0 ? "Special" : "Item",
        ["n": number, "place": places[number % places.count]])
    }
    try context.save()
  }

  @Test func elementsAreRenamedConvertedAndFilled() throws {
    let lines = try MigrationTrial.run(from: old, to: new, fill: fill, describe: describe)
    #expect(lines.first?.contains("road: Main") == true, "\(lines.first ?? "")")
    #expect(lines.first?.contains("z: 32767") == true)
    #expect(lines.count == 2500)
  }

  /// A table whose composite attribute only has another element isn't kept as it is.
  @Test func anotherNameOfAnElementAloneIsEnough() throws {
    func model(_ name: String) -> NSManagedObjectModel {
      self.model([composite("place", [renamed(TestModel.attribute(name), from: "street")])])
    }
    let lines = try MigrationTrial.run(from: { model("street") }, to: { model("road") }) {
      context in
      _ = context.insert("Item", ["n": 1, "place": ["street": "Main"]])
      try context.save()
    } describe: {
      try describe($0)
    }
    #expect(lines == ["1 {road: Main}"])
  }
}
