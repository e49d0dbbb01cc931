import Foundation
import TestSupport
import Testing

@testable import DataModels

/// What compilers write of indexes in the older forms (compound indexes, "indexed" checkboxes) follows the indexes.
@Suite struct IndexTraceTests {
  private func index(_ name: String, _ properties: NSPropertyDescription...)
    -> NSFetchIndexDescription
  {
    NSFetchIndexDescription(
      name: name,
      elements: properties.map {
        NSFetchIndexElementDescription(property: $0, collationType: .binary)
      })
  }

  /// `Place {a, b, c} > Inn {d}` as read from a file: indexes over `a`, over `a` and `b`, and over `b` and `d`.
  private func places() throws -> (NSManagedObjectModel, NSEntityDescription, NSEntityDescription) {
    let (a, b, d) = (attribute("a"), attribute("b"), attribute("d"))
    let place = entity("Place", [a, b, attribute("c")])
    let inn = entity("Inn", [d])
    place.subentities = [inn]
    a.isIndexed = true
    place.indexes = [index("alone", a), index("both", a, b)]
    place.compoundIndexes = [["b", "c"], ["a", "b"]]
    inn.indexes = [index("deep", b, d)]
    let model = try read(NSManagedObjectModel(of: [place, inn]))
    return (
      model, try #require(model.entitiesByName["Place"]), try #require(model.entitiesByName["Inn"])
    )
  }

  private func read(_ model: NSManagedObjectModel) throws -> NSManagedObjectModel {
    try ModelArchive.decode(ModelArchive.encode(model))
  }

  @Test func removedIndexesLeaveNothing() throws {
    let (model, place, inn) = try places()
    #expect(inn.compoundIndexNames == [["b", "d"]])
    inn.indexes = []
    place.indexes = []
    #expect(place.compoundIndexNames == [["b", "c"]] && inn.compoundIndexNames.isEmpty)
    #expect(place.attributesByName["a"]?.isIndexed == false)
    place.properties.removeAll { $0.name == "a" }
    try model.validate()
    let again = try #require(try read(model).entitiesByName["Place"])
    #expect(again.indexes.isEmpty && again.compoundIndexNames == [["b", "c"]])
  }

  @Test func changedAndNewIndexesAreFollowed() throws {
    let (model, place, inn) = try places()
    let properties = place.attributesByName
    let (a, b, c) = (
      try #require(properties["a"]), try #require(properties["b"]), try #require(properties["c"])
    )
    place.indexes[1].elements = index("", a, c).elements
    #expect(place.compoundIndexNames == [["b", "c"], ["a", "c"]])
    place.indexes[0].elements = index("", c).elements
    #expect(!a.isIndexed && c.isIndexed)
    place.indexes.append(index("more", c, b))
    #expect(place.compoundIndexNames == [["b", "c"], ["a", "c"], ["c", "b"]])
    place.indexes[1].elements[0].collationType = .rTree
    #expect(place.compoundIndexNames == [["b", "c"], ["c", "b"]])
    inn.indexes = []
    inn.indexes = [index("new", a, c)]
    let again = try read(model)
    #expect(again.entitiesByName["Inn"]?.compoundIndexNames == [["a", "c"]])
  }

  @Test func modelsMadeInCodeHaveNoTraces() {
    let (a, b) = (attribute("a"), attribute("b"))
    let place = entity("Place", [a, b])
    place.indexes = [index("alone", a), index("both", a, b)]
    place.indexes.removeFirst()
    place.indexes.append(index("other", b))
    #expect(place.compoundIndexNames.isEmpty && !a.isIndexed && !b.isIndexed)
  }

  @Test(arguments: [false, true]) func indexesFollowRenamedProperties(inCopy: Bool) throws {
    var (model, _, _) = try places()
    if inCopy { model = model.deepCopy() }
    let (place, inn) = (
      try #require(model.entitiesByName["Place"]), try #require(model.entitiesByName["Inn"])
    )
    let b = try #require(place.attributesByName["b"])
    b.name = "z"
    #expect(place.indexes[1].elements.map(\.propertyName) == ["a", "z"])
    #expect(inn.indexes[0].elements[0].property === b)
    #expect(place.compoundIndexNames == [["b", "c"], ["a", "z"]])
    place.compoundIndexes = [["a", "z"]]
    // Names may be exchanged.
    let a = try #require(place.attributesByName["a"])
    a.name = "z"
    b.name = "a"
    #expect(place.indexes[1].elements.map(\.propertyName) == ["z", "a"])
    #expect(place.indexes[1].elements[1].property === b)
    #expect(inn.compoundIndexNames == [["a", "d"]] && a.isIndexed)
    try model.validate()
    let again = try read(model)
    #expect(
      again.entitiesByName["Place"]?.indexes.map { $0.elements.map(\.propertyName) }
        == [["z"], ["z", "a"]])
    #expect(again.entitiesByName["Place"]?.compoundIndexNames == [["z", "a"]])
  }

  @Test func anOverrideIsWhatTheNameMeans() throws {
    let (a, d) = (attribute("a"), attribute("d"))
    let place = entity("Place", [a])
    let inn = entity("Inn", [attribute("a"), d])
    place.subentities = [inn]
    inn.indexes = [
      NSFetchIndexDescription(
        name: "own",
        elements: [
          NSFetchIndexElementDescription(
            propertyName: "a", expression: nil, collationType: .binary, isAscending: true)
        ])
    ]
    a.name = "z"
    #expect(inn.indexes[0].elements[0].propertyName == "a")
    inn.ownProperties[0].name = "y"
    #expect(inn.indexes[0].elements[0].propertyName == "y")
  }
}
