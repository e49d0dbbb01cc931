import DataModels
import Foundation
import Testing

@testable import ModelSource

/// The table of Boolean settings, in sources.
@Suite struct PropertySettingTests {
  @Test(arguments: PropertySetting.allCases)
  func isKnownToTheEditorsOrder(_ setting: PropertySetting) {
    guard let name = setting.traits.sourceName else { return }
    let elements =
      switch setting.traits.holder {
      case .property: ["attribute", "relationship"]
      case .attribute: ["attribute"]
      case .relationship: ["relationship"]
      }
    for element in elements {
      #expect(SourceVocabulary.entries[element]?.attributes.contains(name) == true)
    }
  }

  @Test(arguments: PropertySetting.allCases)
  func isWrittenAndRead(_ setting: PropertySetting) throws {
    let row = setting.traits
    guard let name = row.sourceName else { return }
    let kind = row.holder == .relationship ? "relationship" : "attribute"
    let body =
      kind == "attribute"
      ? "<attribute name=\"a\" attributeType=\"Binary\" \(name)=\"YES\"/>"
      : "<relationship name=\"a\" destinationEntity=\"E\" \(name)=\"YES\"/>"
    let source = "<model><entity name=\"E\">\(body)</entity></model>"
    let model = try SourceModel(data: Data(source.utf8)).model
    let property = try #require(model.entities.first?.ownProperties.first)
    #expect(property.flags.contains(row.flag))
    let copy = try #require(model.copy() as? NSManagedObjectModel)
    #expect(SourceWriter(copy).xml.contains("\(name)=\"YES\""))
    copy.entities.first?.ownProperties.first?.set(row, to: false)
    // An index on a single property means the same as its checkbox.
    #expect(setting == .indexed || copy != model)
    #expect(!SourceWriter(copy).xml.contains("\(name)=\"YES\""))
  }
}
