import DataModels
import Foundation
import ModelListing
import PredicateFormat
import TestSupport
import Testing

import class PredicateFormat.NSExpression

struct ModelSchemaTests {
  /// A model created in code, with inheritance, a relationship with its inverse, and one of each rarer feature.
  private func library() -> NSManagedObjectModel {
    let title = attribute("title", .stringAttributeType, optional: false)
    title.defaultValue = "untitled"
    title.userInfo = ["z": 1, "a": "first"]
    title.versionHashModifier = "2"
    title.renamingIdentifier = "name"
    title.setValidationPredicates(
      [NSPredicate(format: "length >= %d", 1)], withValidationWarnings: ["too short"])

    let pages = attribute("pages", .integer64AttributeType)
    pages.defaultValue = Int64.max

    let cover = attribute("cover", .transformableAttributeType)
    cover.valueTransformerName = "CoverTransformer"
    cover.attributeValueClassName = "Cover"
    cover.allowsExternalBinaryDataStorage = true

    let street = attribute("street", .stringAttributeType)
    let address = NSCompositeAttributeDescription()
    address.name = "address"
    address.elements = [street]

    let books = relationship("books", rule: .cascadeDeleteRule, ordered: true)
    let shelf = relationship("shelf", max: 1)

    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
    request.fetchLimit = 3
    request.predicate = NSPredicate(format: "pages > 100 AND title BEGINSWITH[c] 'a'")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
    request.returnsDistinctResults = true
    let newest = NSFetchedPropertyDescription()
    newest.name = "newest"
    newest.fetchRequest = request

    let thing = entity("Thing")
    thing.isAbstract = true
    thing.properties = [title]
    let book = entity("Book", class: "Library.Book", [pages, cover, shelf])
    book.uniquenessConstraints = [["title", "pages"]]
    let shelves = entity("Shelf", [books, address, newest])
    thing.subentities = [book]
    books.destinationEntity = book
    books.inverseRelationship = shelf
    shelf.destinationEntity = shelves
    shelf.inverseRelationship = books
    let count = NSDerivedAttributeDescription()
    count.name = "count"
    count.attributeType = .integer64AttributeType
    count.derivationExpression = NSExpression(format: "books.@count")
    shelves.properties.append(count)
    let index = NSFetchIndexDescription(
      name: "byPages",
      elements: [NSFetchIndexElementDescription(property: pages, collationType: .binary)])
    book.indexes = [index]

    let model = NSManagedObjectModel(of: [thing, shelves, book])
    model.versionIdentifiers = ["b", "a"]
    model.setEntities([shelves], forConfigurationName: "Cloud")
    model.setFetchRequestTemplate(request, forName: "some")
    return model
  }

  @Test func everyFeatureOfAModelIsDescribed() throws {
    let schema = ModelSchema(library())
    #expect(schema.versionIdentifiers == ["a", "b"])
    #expect(schema.checksum?.count == 44)
    #expect(schema.entities.allSatisfy { $0.versionHash?.count == 64 })
    #expect(schema.entities.map(\.name) == ["Book", "Shelf", "Thing"])
    #expect(schema.configurations == [.init(name: "Cloud", entities: ["Shelf"])])
    #expect(schema.fetchRequestTemplates.map(\.name) == ["some"])
    #expect(schema.fetchRequestTemplates[0].fetchLimit == 3)
    #expect(schema.fetchRequestTemplates[0].returnsDistinctResults)
    #expect(
      schema.fetchRequestTemplates[0].predicate == "pages > 100 AND title BEGINSWITH[c] \"a\"")
    #expect(
      schema.fetchRequestTemplates[0].sortDescriptors
        == [.init(key: "title", isAscending: false, selector: "compare:")])

    let book = schema.entities[0]
    #expect(book.className == "Library.Book")
    #expect(book.superentity == "Thing")
    #expect(book.uniquenessConstraints == [["title", "pages"]])
    #expect(book.indexes == [.init(name: "byPages", elements: [.init(name: "pages")])])
    #expect(book.properties.map(\.name) == ["cover", "pages", "shelf"])
    #expect(
      book.properties[0].detail
        == .attribute(
          .init(
            type: .init(rawValue: 1800), valueClassName: "Cover",
            valueTransformerName: "CoverTransformer", allowsExternalBinaryDataStorage: true)))
    #expect(
      book.properties[1].detail
        == .attribute(.init(type: .init(rawValue: 300), defaultValue: .integer(.max))))
    #expect(
      book.properties[2].detail
        == .relationship(.init(destination: "Shelf", inverse: "books", maxCount: 1)))

    let shelf = schema.entities[1]
    #expect(shelf.className == nil)
    #expect(
      shelf.properties.map(\.kind)
        == [.compositeAttribute, .relationship, .derivedAttribute, .fetchedProperty])
    #expect(
      shelf.properties[2].detail
        == .attribute(
          .init(type: .init(rawValue: 300), derivation: .init(expression: "books.@count"))))
    #expect(
      shelf.properties[1].detail
        == .relationship(
          .init(destination: "Book", inverse: "shelf", deleteRule: .cascade, isOrdered: true)))

    let thing = schema.entities[2]
    #expect(thing.isAbstract)
    #expect(thing.subentities == ["Book"])
    let title = thing.properties[0]
    #expect(!title.isOptional)
    #expect(title.renamingIdentifier == "name")
    #expect(title.versionHashModifier == "2")
    #expect(
      title.validation == [.init(predicate: "length >= 1", warning: .string("too short"))])
    #expect(title.userInfo == ["z": .integer(1), "a": .string("first")])
  }

  @Test func inheritedConstraintsAreNotRepeated() {
    let thing = entity("Thing", [attribute("code")])
    let book = entity("Book", [attribute("title")])
    thing.subentities = [book]
    thing.uniquenessConstraints = [["code"]]
    book.uniquenessConstraints = [["title"]]
    let schema = ModelSchema(NSManagedObjectModel(of: [thing, book]))
    #expect(schema.entities.map(\.name) == ["Book", "Thing"])
    #expect(schema.entities.map(\.uniquenessConstraints) == [[["title"]], [["code"]]])
  }

  @Test func aModelThatIsBrokenIsDescribedAsItIs() {
    let lonely = relationship("lonely")
    let first = entity("E", [lonely, NSPropertyDescription(), NSDerivedAttributeDescription()])
    let second = entity("E")
    let model = NSManagedObjectModel(of: [first, second, NSEntityDescription()])
    let schema = ModelSchema(model)
    #expect(schema.entities.map(\.name) == ["", "E", "E"])
    let text = ModelTextListing(schema).text
    #expect(text.contains("lonely  ->> nothing  optional  no inverse  delete nullify"))
    #expect(ModelGraphDrawing(schema).text.hasPrefix("digraph"))
  }

  @Test func valuesOfEveryKindAreDescribed() {
    let table: [(Any, ModelSchema.Value)] = [
      (1, .integer(1)), (true, .boolean(true)), (NSNumber(value: true), .boolean(true)),
      (NSNumber(value: 7), .integer(7)), (0.1 as Float, .double(0.1)), (0.1, .double(0.1)),
      (NSString(string: "s"), .string("s")), (Decimal(5) / 10, .decimal(Decimal(5) / 10)),
      (Data([1]), .data(Data([1]))), (Date(timeIntervalSinceReferenceDate: 2.5), .date(2.5)),
      (["k": [1, "x"] as [Any]], .dictionary(["k": .array([.integer(1), .string("x")])])),
      (NSObject(), .object("NSObject")),
    ]
    for (value, expected) in table {
      let entity = NSEntityDescription()
      entity.userInfo = ["key": value]
      let model = NSManagedObjectModel(of: [entity])
      #expect(ModelSchema(model).entities[0].userInfo == ["key": expected])
    }
  }
}
