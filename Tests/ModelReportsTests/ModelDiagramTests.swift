import ModelListing
import ModelReports
import Testing

struct ModelDiagramTests {
  private func relationship(
    _ name: String, to destination: String, inverse: String? = nil, many: Bool = false,
    rule: ModelSchema.DeleteRule = .nullify
  ) -> ModelSchema.Property {
    .init(
      .init(name: name),
      .relationship(
        .init(
          destination: destination, inverse: inverse, deleteRule: rule, maxCount: many ? 0 : 1)))
  }

  private func lines(_ svg: String) -> Int { svg.split(separator: "<g class=\"line ").count - 1 }

  @Test func aRelationshipAndItsInverseAreOneLine() {
    let schema = ModelSchema(entities: [
      .init(
        name: "Author",
        properties: [
          relationship("books", to: "Book", inverse: "author", many: true, rule: .cascade)
        ]),
      .init(name: "Book", properties: [relationship("author", to: "Author", inverse: "books")]),
    ])
    let diagram = ModelDiagram(schema)
    #expect(diagram.relationshipCount == 1)
    let svg = diagram.svg(title: "Books")
    #expect(lines(svg) == 1)
    // The delete rules at both ends, and the description of the line.
    #expect(svg.contains("class=\"detail cascade\""))
    #expect(svg.contains("class=\"detail nullify\""))
    #expect(
      svg.contains(
        "<title>Author.books: to-many Book, on delete cascade; Book.author: to-one Author, on delete nullify</title>"
      ))
  }

  @Test func relationshipsToTheirOwnEntityAreLoops() {
    let schema = ModelSchema(entities: [
      .init(
        name: "Folder",
        properties: [
          relationship("children", to: "Folder", inverse: "parent", many: true),
          relationship("parent", to: "Folder", inverse: "children"),
          relationship("twin", to: "Folder", inverse: "twin"),
          relationship("next", to: "Folder"),
        ])
    ])
    let diagram = ModelDiagram(schema)
    #expect(diagram.relationshipCount == 3)
    #expect(diagram.layout.routes.map(\.isLoop) == [true, true, true])
  }

  @Test func parentsHaveHollowArrows() {
    let schema = ModelSchema(entities: [
      .init(name: "Animal", isAbstract: true, subentities: ["Cat"]),
      .init(name: "Cat", superentity: "Animal"),
      .init(name: "Dog", superentity: "Missing"),
    ])
    let diagram = ModelDiagram(schema)
    #expect(diagram.inheritanceCount == 2)
    let svg = diagram.svg(title: "Animals")
    #expect(svg.contains("class=\"box abstract\""))
    // Entities that are referenced but not included have a different style.
    #expect(svg.contains("class=\"box outside\""))
  }

  @Test func circlesOfParentsEnd() {
    let schema = ModelSchema(entities: [
      .init(
        name: "A", superentity: "B", properties: [relationship("x", to: "B", inverse: "nothing")]),
      .init(name: "B", superentity: "A"),
      .init(name: "C", superentity: "C"),
    ])
    #expect(ModelDiagram(schema).inheritanceCount == 2)
  }

  @Test func namesAreTextAndNothingElse() {
    let name = "</title></svg><script>alert('1')</script>\"&\u{202E}\u{0}"
    let schema = ModelSchema(entities: [
      .init(
        name: name,
        properties: [
          .init(.init(name: name), .attribute(.init(type: .init(rawValue: 700)))),
          relationship(name + "2", to: name, many: true),
        ])
    ])
    let svg = ModelDiagram(schema).svg(title: name)
    #expect(!svg.contains("<script"))
    #expect(svg.components(separatedBy: "</svg>").count == 2)
    #expect(!svg.unicodeScalars.contains { $0.value == 0x202E || $0.value == 0 })
    #expect(svg.contains("‹202E›"))
    #expect(svg.contains("&lt;/title&gt;"))
  }

  @Test func manyAttributesAreCounted() {
    let properties = (0..<40).map {
      ModelSchema.Property(.init(name: "a\($0)"), .attribute(.init(type: .init(rawValue: 700))))
    }
    let schema = ModelSchema(entities: [.init(name: "Wide", properties: properties)])
    #expect(ModelDiagram(schema, attributeLimit: 10).svg(title: "").contains(">30 more</text>"))
    #expect(!ModelDiagram(schema).svg(title: "").contains("more</text>"))
  }
}
