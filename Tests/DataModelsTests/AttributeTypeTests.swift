import Testing

@testable import DataModels

/// The one table of attribute types.
@Suite struct AttributeTypeTests {
  @Test func namesTellTypesApart() {
    let rows = NSAttributeType.allCases.map(\.traits)
    #expect(Set(rows.map(\.name)).count == rows.count)
    #expect(Set(rows.map(\.title)).count == rows.count)
    #expect(Set(rows.compactMap(\.sourceName)).count == rows.count - 1)
    #expect(NSAttributeType.undefinedAttributeType.traits.sourceName == nil)
  }

  @Test func sourcesAndEditorsNameTwoTypesDifferently() {
    let different = NSAttributeType.allCases.map(\.traits).filter {
      $0.sourceName != nil && $0.sourceName != $0.title
    }
    #expect(different.map(\.title) == ["Binary Data", "Object ID"])
    #expect(different.map(\.sourceName) == ["Binary", "ObjectID"])
    #expect(NSAttributeType.binaryDataAttributeType.label == "Binary")
    #expect(NSAttributeType.undefinedAttributeType.label == "Undefined")
  }

  @Test func scalarsHaveATypeInBothLanguages() {
    for type in NSAttributeType.allCases {
      #expect((type.traits.swiftScalar == nil) == (type.traits.cScalar == nil), "\(type)")
      #expect((type.traits.swiftObject == nil) == (type.traits.valueClassName == nil), "\(type)")
      if type.traits.prefersScalar == true { #expect(type.traits.swiftScalar != nil, "\(type)") }
    }
    #expect(NSAttributeType.allCases.filter(\.isInteger).count == 3)
    #expect(NSAttributeType.allCases.filter(\.isNumeric).count == 6)
  }
}
