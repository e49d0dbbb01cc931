import Foundation
import PredicateFormat

@testable import DataModels

extension FeatureModels {
  /// Every attribute type, with and without a default value.
  static let attributeTypes: [Feature] = [
    type("Integer16", .integer16, -32768), type("Integer32", .integer32, 2_147_483_647),
    type("Integer64", .integer64, Int.min),
    type("Decimal", .decimal, Decimal(string: "-12.50") ?? 0),
    type("Double", .double, 0.1), type("Float", .float, Float(0.25)),
    type("String", .string, "Größe \"🙂\""), type("Boolean", .boolean, true),
    type("Date", .date, Date(timeIntervalSinceReferenceDate: 10.5)),
    type("BinaryData", .binaryData, nil),
    type("UUID", .uuid, UUID(uuidString: "6F2B8C1E-0000-4000-8000-0123456789AB")),
    type("URI", .uri, URL(string: "https://example.com/a?b=c")),
    type("Transformable", .transformable, nil),
  ]

  private static func type(
    _ name: String, _ type: NSAttributeDescription.AttributeType, _ value: (any Sendable)?
  ) -> Feature {
    Feature(name: "Type-\(name)") {
      let plain = attribute("plain", type)
      guard let value else { return model(entity("Item", plain)) }
      return model(entity("Item", attribute("defaulted", type, default: value), plain))
    }
  }

  /// The features of attributes other than their type.
  static let attributes: [Feature] = [
    Feature(name: "Attribute-Optional") {
      model(entity("Item", attribute("may"), attribute("must") { $0.isOptional = false }))
    },
    Feature(name: "Attribute-Transient") {
      model(
        entity(
          "Item", attribute("cache") { $0.isTransient = true },
          attribute("any", .undefined) { $0.isTransient = true }))
    },
    Feature(name: "Attribute-External") {
      model(
        entity(
          "Item", attribute("photo", .binaryData) { $0.allowsExternalBinaryDataStorage = true }))
    },
    Feature(name: "Attribute-Transformer") {
      model(
        entity(
          "Item",
          attribute("tags", .transformable) {
            $0.valueTransformerName = "NSSecureUnarchiveFromData"
            $0.attributeValueClassName = "NSSet<NSString *>"
          }))
    },
    Feature(name: "Attribute-History") {
      model(entity("Item", attribute("kept") { $0.preservesValueInHistoryOnDeletion = true }))
    },
    Feature(name: "Attribute-Encrypted") {
      model(entity("Item", attribute("secret") { $0.allowsCloudEncryption = true }))
    },
    Feature(name: "Attribute-Spotlight") {
      model(
        entity(
          "Item", attribute("title") { $0.isIndexedBySpotlight = true },
          attribute("apart") { $0.isStoredInExternalRecord = true }))
    },
    Feature(name: "Attribute-Validation") { validated() },
    Feature(name: "Attribute-Derived") { derivedAttributes() },
    Feature(name: "Attribute-Composite") {
      model(
        entity(
          "Person",
          composite(
            "address", attribute("city"), attribute("zip", .integer32, default: 1),
            composite("place", attribute("lat", .double), attribute("long", .double)))))
    },
  ]

  /// Bounds, lengths and patterns, with the error codes that Xcode's editor assigns.
  private static func validated() -> NSManagedObjectModel {
    func rule(
      _ name: String, _ type: NSAttributeDescription.AttributeType, _ rules: [(String, Int)]
    ) -> NSAttributeDescription {
      attribute(name, type) {
        $0.setValidation(rules.map { NSPredicate(format: $0.0) }, warnings: rules.map(\.1))
      }
    }
    return model(
      entity(
        "Item", rule("count", .integer16, [("SELF >= 1", 1620), ("SELF <= 999", 1610)]),
        rule("ratio", .double, [("SELF >= 0.5", 1620)]),
        rule(
          "name", .string,
          [("length >= 2", 1670), ("length <= 80", 1660), ("SELF MATCHES \"[a-z]+\"", 1680)]),
        rule("made", .date, [("timeIntervalSinceReferenceDate >= -86400.0", 1640)])))
  }

  /// Every kind of expression for derived attributes.
  private static func derivedAttributes() -> NSManagedObjectModel {
    let author = entity("Author", attribute("name"))
    let book = entity("Book", attribute("price", .double))
    relate(
      (author, relationship("books", to: book, max: 0)),
      (book, relationship("author", to: author)))
    author.properties += [
      derived("bookCount", .integer64, "books.@count"),
      derived("priceSum", .double, "books.price.@sum"),
      derived("plainName", .string, "canonical:(name)"),
      derived("loudName", .string, "uppercase:(name)"),
      derived("quietName", .string, "lowercase:(name)"),
      derived("changed", .date, "now()"),
    ]
    book.properties += [derived("authorName", .string, "author.name")]
    return model(author, book)
  }
}
