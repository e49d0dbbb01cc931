import DataModels
import Foundation
import PredicateFormat
import TestSupport
import Testing

@testable import ModelSource

/// Validation rules that sources can't express are reported, never changed or dropped without a word.
@Suite struct ValidationLossTests {
  /// An attribute with rules; the codes are Core Data's unless others are given.
  private func writer(
    _ type: NSAttributeType, _ rules: [(text: String, warning: Any)]
  ) throws -> SourceWriter {
    let attribute = attribute("value", type)
    attribute.setValidation(
      try rules.map { try PredicateTree(parsing: $0.text).predicate },
      warnings: rules.map(\.warning))
    return SourceWriter(TestSupport.model([entity("Item", [attribute])]))
  }

  /// The rules after writing and reading.
  private func read(_ writer: SourceWriter) throws -> [String] {
    let model = try SourceModel(data: Data(writer.xml.utf8)).model
    let attribute = try #require(model.entitiesByName["Item"]?.attributesByName["value"])
    return attribute.validationPredicates.map { $0.tree.canonicalFormat }
  }

  @Test func usualRulesAreNoLoss() throws {
    let cases: [(NSAttributeType, [(String, Any)])] = [
      (
        .stringAttributeType,
        [("length >= 1", 1670), ("length <= 9", 1660), ("SELF MATCHES 'a+'", 1680)]
      ),
      (.integer16AttributeType, [("SELF >= 0", 1620), ("SELF <= 5", NSNumber(value: 1610))]),
      (.doubleAttributeType, [("SELF >= 1", 1620), ("SELF <= 2.5", 1610)]),
      (.floatAttributeType, [("SELF >= 0.1", 1620)]),
      (.decimalAttributeType, [("SELF >= 1", 1620), ("SELF <= 2.5", 1610)]),
      (.dateAttributeType, [("timeIntervalSinceReferenceDate >= 3", 1640)]),
    ]
    for (type, rules) in cases {
      let writer = try writer(type, rules)
      #expect(writer.losses == [], "\(rules)")
      #expect(try read(writer).count == rules.count, "\(rules)")
    }
  }

  /// A program's own messages, instead of error codes.
  @Test func messagesAreReported() throws {
    let writer = try writer(
      .stringAttributeType, [("length >= 1", "Too short"), ("length <= 9", 1660)])
    #expect(writer.losses.count == 1)
    #expect(writer.losses.first?.contains("1 validation messages of 'Item.value'") == true)
    #expect(try read(writer) == ["length >= 1", "length <= 9"])
  }

  @Test func ofTwoRulesOfOneFormOneIsReported() throws {
    let writer = try writer(.integer64AttributeType, [("SELF >= 1", 1620), ("SELF >= 3", 1620)])
    #expect(writer.losses.count == 1)
    #expect(writer.losses.first?.contains("1 validation predicates") == true)
    #expect(try read(writer) == ["SELF >= 3"])
  }

  /// Rules that mean nothing, or something else, for the type when they are read.
  @Test(arguments: [
    (NSAttributeType.binaryDataAttributeType, "length >= 1"),
    (.URIAttributeType, "SELF MATCHES 'a+'"),
    (.stringAttributeType, "SELF >= 3"), (.integer16AttributeType, "SELF >= 1.5"),
    (.integer16AttributeType, "length >= 1"), (.doubleAttributeType, "SELF MATCHES '1+'"),
  ])
  func rulesOfOtherTypesAreReported(type: NSAttributeType, rule: String) throws {
    let writer = try writer(type, [(rule, 1)])
    #expect(writer.losses.count == 1)
    #expect(writer.losses.first?.contains("1 validation predicates") == true)
    #expect(try read(writer) == [])
    #expect(!writer.xml.contains("ValueString") && !writer.xml.contains("regularExpression"))
  }

  /// A bound that isn't a number has no text.
  @Test(arguments: [Double.infinity, -.infinity, .nan])
  func boundsOfDatesThatAreNoNumbersAreReported(bound: Double) throws {
    let date = attribute("value", .dateAttributeType)
    let rule = PredicateTree.Comparison(
      left: .key("timeIntervalSinceReferenceDate"), type: .lessThanOrEqualTo,
      right: .constant(.double(bound)))
    date.setValidation([PredicateTree.comparison(rule).predicate], warnings: [1630])
    let writer = SourceWriter(TestSupport.model([entity("Item", [date])]))
    #expect(writer.losses.count == 1)
    #expect(writer.losses.first?.contains("1 validation predicates") == true)
    #expect(try read(writer) == [])
    #expect(!writer.xml.contains("maxDateTimeInterval"))
  }
}
