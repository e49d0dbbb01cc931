import DataModels
import Foundation
import PredicateFormat
import TestSupport
import Testing

@testable import ModelSource

/// Characters that XML can't hold, in what a model says.
@Suite struct UnwritableTextTests {
  private func read(_ writer: SourceWriter) throws -> NSAttributeDescription {
    let model = try SourceModel(data: Data(writer.xml.utf8)).model
    return try #require(model.entitiesByName["Item"]?.attributesByName["title"])
  }

  @Test(arguments: ["\u{1}", "\u{0}", "\u{1F}", "\u{FFFE}", "\u{FFFF}"])
  func theyAreReported(character: String) throws {
    let title = attribute("title", .stringAttributeType, default: "a\(character)b")
    title.userInfo = ["note": "x\(character)y"]
    let pattern = PredicateTree.Comparison(
      left: .evaluatedObject, type: .matches, right: .constant(.string("a\(character)b")))
    title.setValidation([PredicateTree.comparison(pattern).predicate], warnings: [1680])
    let writer = SourceWriter(model([entity("Item", [title])]))
    #expect(writer.losses.count == 3)
    for text in ["defaultValueString", "regularExpressionString", "value"] {
      #expect(writer.losses.contains { $0.contains("of the \(text) of 'Item.title") }, "\(text)")
    }
    let found = try read(writer)
    // What can't be written is left out rather than changed.
    #expect(found.defaultValue == nil)
    #expect(found.validationPredicates.isEmpty)
    #expect(found.userInfo?["note"] as? String == "x\u{FFFD}y")
  }

  @Test(arguments: [
    "\t", "\n", "\r", "\u{7F}", "\u{85}", "\u{FFFD}", "\u{FEFF}", "ﬁ", "\u{1FFFE}", "𝄞",
  ])
  func othersComeBack(character: String) throws {
    let title = attribute("title", .stringAttributeType, default: "a\(character)b")
    let writer = SourceWriter(model([entity("Item", [title])]))
    #expect(writer.losses == [])
    #expect(try read(writer).defaultValue as? String == "a\(character)b")
  }
}
