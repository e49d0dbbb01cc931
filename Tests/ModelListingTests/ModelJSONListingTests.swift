import Foundation
import ModelListing
import Testing

struct ModelJSONListingTests {
  private let listing = ModelJSONListing([
    .init(path: "Shop.momd", version: "Shop 2", model: ShopSchema.model)
  ])

  @Test func aListingReadsBackAsItself() throws {
    let text = try listing.text()
    #expect(try JSONDecoder().decode(ModelJSONListing.self, from: Data(text.utf8)) == listing)
  }

  @Test func keysAreSortedAndLinesIndented() throws {
    let small = ModelJSONListing([
      .init(path: "a/b.mom", model: ModelSchema(entities: [.init(name: "E {\"[,:")]))
    ])
    #expect(
      try small.text() == """
        {
          "models": [
            {
              "model": {
                "configurations": [],
                "entities": [
                  {
                    "compoundIndexes": [],
                    "indexes": [],
                    "isAbstract": false,
                    "name": "E {\\"[,:",
                    "properties": [],
                    "subentities": [],
                    "uniquenessConstraints": [],
                    "userInfo": {}
                  }
                ],
                "fetchRequestTemplates": [],
                "versionIdentifiers": []
              },
              "path": "a/b.mom"
            }
          ],
          "schemaVersion": 1
        }

        """)
  }

  @Test(arguments: [
    (ModelSchema.Value.integer(.max), "9223372036854775807"),
    (.integer(.min), "-9223372036854775808"),
    (.double(0.1), "0.1"), (.double(1.7976931348623157e308), "1.7976931348623157e+308"),
    (.double(.infinity), #"{"$double":"inf"}"#),
    (
      .decimal(Decimal(string: "12345678901234567890.123456789") ?? 0),
      #"{"$decimal":"12345678901234567890.123456789"}"#
    ),
    (.boolean(false), "false"), (.string("a/\"é\u{1}"), #""a/\"é\u0001""#),
    (.date(-0.25), #"{"$date":-0.25}"#), (.data(Data([0, 1, 2])), #"{"$data":"AAEC"}"#),
    (
      .uuid(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF") ?? UUID()),
      #"{"$uuid":"00112233-4455-6677-8899-AABBCCDDEEFF"}"#
    ),
    (.uri("x:y"), #"{"$uri":"x:y"}"#), (.null, #"{"$null":true}"#),
    (.object("UIColor"), #"{"$object":"UIColor"}"#),
    (.array([.integer(1), .array([])]), "[1,[]]"),
    (.dictionary(["$date": .integer(1), "$$x": .null]), #"{"$$$x":{"$null":true},"$$date":1}"#),
  ])
  func valuesKeepEveryDigitAndTheirKind(value: ModelSchema.Value, json: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data = try encoder.encode(value)
    #expect(String(decoding: data, as: UTF8.self) == json)
    #expect(try JSONDecoder().decode(ModelSchema.Value.self, from: data) == value)
  }

  @Test(arguments: [
    #"{"$date":"x"}"#, #"{"$uuid":"1"}"#, #"{"$data":"***"}"#, #"{"$new":1}"#,
    #"{"$decimal":"x"}"#,
  ])
  func malformedValuesAreRefused(json: String) {
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(ModelSchema.Value.self, from: Data(json.utf8))
    }
  }

  @Test func typesAreNamesAndUnknownOnesNumbers() throws {
    let types = [100, 700, 2100, 4242].map { ModelSchema.AttributeType(rawValue: $0) }
    let data = try JSONEncoder().encode(types)
    #expect(String(decoding: data, as: UTF8.self) == #"["integer16","string","composite",4242]"#)
    #expect(try JSONDecoder().decode([ModelSchema.AttributeType].self, from: data) == types)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([ModelSchema.AttributeType].self, from: Data(#"["Int"]"#.utf8))
    }
  }
}
