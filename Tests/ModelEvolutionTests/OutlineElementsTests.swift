import OrderedCollections
import Testing

@testable import ModelEvolution

/// The elements of an outline are those of an ordered dictionary, with what is in an entity beside it.
@Suite struct OutlineElementsTests {
  private static let paths: [ModelPath] = [
    .model, .entity("A"), .property("x", of: "A"), .property("y", of: "A"), .index("x", of: "A"),
    .entity("B"), .entity("C"), .property("x", of: "C"), .fetchRequest("A"), .configuration("A"),
  ]

  private static func element(_ path: ModelPath, _ text: String = "") -> ModelElement {
    let kind: ModelElementKind =
      switch path {
      case .model: .model
      case .entity: .entity
      case .property: .attribute
      case .index: .index
      case .fetchRequest: .fetchRequest
      case .configuration: .configuration
      }
    return ModelElement(kind: kind, values: [.text(path.description + text)])
  }

  private static func elements(_ paths: some Sequence<ModelPath>) -> OutlineElements {
    var elements = OutlineElements()
    for path in paths { elements[path] = element(path) }
    return elements
  }

  @Test(arguments: 0..<1024) func anyPartIsAnOrderedDictionary(_ mask: Int) {
    let paths = Self.paths.indices.filter { mask & 1 << $0 != 0 }.map { Self.paths[$0] }
    let elements = Self.elements(paths)
    #expect(elements.map(\.key) == paths)
    #expect(elements.indices.map { elements[$0].key } == paths)
    #expect(elements.reversed().map(\.key) == paths.reversed())
    #expect(elements.count == paths.count)
    #expect(elements.counts.values.reduce(0, +) == paths.count)
    for path in Self.paths {
      #expect(elements[path] == (paths.contains(path) ? Self.element(path) : nil))
    }
    #expect(elements.paths(outside: ["A"]) == paths.filter { $0.entityName != "A" })
  }

  @Test func entitiesStayTogether() {
    let elements = Self.elements([
      .configuration("A"), .entity("B"), .entity("A"), .property("x", of: "B"), .model,
    ])
    #expect(
      elements.map(\.key) == [
        .model, .entity("B"), .property("x", of: "B"), .entity("A"), .configuration("A"),
      ])
  }

  @Test func aChangedCopyLeavesTheOther() {
    let elements = Self.elements(Self.paths)
    var copy = OutlineElements(sharingSectionsOf: elements)
    #expect(copy.map(\.key) == Array(Self.paths[1...7]))
    copy[.entity("B")] = Self.element(.entity("B"), "changed")
    copy.setSection([.entity("A"): Self.element(.entity("A"))], of: "A")
    copy.setSection([.entity("D"): Self.element(.entity("D"))], of: "D")
    copy[.property("x", of: "C")] = nil
    #expect(copy.entityNames == ["A", "B", "C", "D"])
    #expect(copy.map(\.key) == ["A", "B", "C", "D"].map { .entity($0) })
    #expect(elements.map(\.key) == Self.paths)
    #expect(elements[.entity("B")] == Self.element(.entity("B")))
  }
}
