import Foundation
import TestSupport
import Testing

@testable import ModelSource

/// The complete diagnostics for sources: location, severity, object and text.
@Suite struct DiagnosticTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var rule: SourceRule
    /// The contents of `<model>`, from line 2 on.
    var xml: String
    /// The findings, without the path.
    var findings: [String]
    var testDescription: String { rule.rawValue }

    init(_ rule: SourceRule, _ xml: String, _ findings: String...) {
      self.rule = rule
      self.xml = xml
      self.findings = findings
    }
  }

  static func findings(
    _ xml: String, groups: Set<SourceRule.Group> = [.compile]
  ) throws -> [SourceDiagnostic] {
    var options = SourceReadingOptions()
    options.ruleGroups = groups
    let document = try SourceDocument(data: Data("<model>\n\(xml)\n</model>".utf8), path: "m")
    return SourceModel.diagnostics(of: document, options: options)
  }

  @Test(arguments: cases) func isFound(_ test: Case) throws {
    let found = try Self.findings(test.xml, groups: [test.rule.group])
    #expect(found.map(\.description) == test.findings.map { "m:" + $0 })
    #expect(found.contains { $0.rule == test.rule })
  }

  @Test func everyRuleIsTested() {
    let elsewhere: Set<SourceRule> = [.xml, .document, .version, .tooManyProperties]
    let tested = Set(Self.cases.map(\.rule)).union(elsewhere)
    #expect(SourceRule.all.filter { !tested.contains($0) } == [])
    #expect(Set(SourceRule.all.map(\.rawValue)).count == SourceRule.all.count)
  }

  @Test func everythingIsSaidAtOnceInOrder() throws {
    let found = try Self.findings(
      """
      <entity name="A" parentEntity="B"><attribute name="x"/></entity>
      <entity name="A"><attribute name="y" attributeType="Strin"/></entity>
      """)
    #expect(
      found.map(\.description) == [
        "m:2:18: error: [A] the parent entity 'B' doesn't exist",
        "m:2:35: error: [A.x] the attribute has no type and isn't transient",
        "m:3:9: error: [A] there is another entity 'A'",
        "m:3:38: error: [A.y] there is no attribute type 'Strin' (did you mean 'String'?)",
      ])
  }

  @Test func tooManyPropertiesAreCounted() throws {
    let attributes = (1...101).map { "<attribute name='a\($0)' attributeType='String'/>" }
    let found = try Self.findings("<entity name='A'>\(attributes.joined())</entity>")
    #expect(
      found.map(\.description) == [
        "m:2:1: warning: [A] the entity has 101 properties; more than 100 make fetching slow"
      ])
  }

  @Test func skippedRulesAreNotErrors() throws {
    var options = SourceReadingOptions()
    let xml = Data("<model><entity name='A'><attribute name='x'/></entity></model>".utf8)
    #expect(throws: ModelSourceError.self) { try SourceModel(data: xml, options: options) }
    options.skippedRules = [.undefinedType]
    #expect(try SourceModel(data: xml, options: options).diagnostics == [])
  }

  /// A key after a dot is an element of a composite, and of nothing else.
  @Test func keyPathsEndAtElements() throws {
    let found = try Self.findings(
      """
      <entity name="A"><attribute name="t" optional="YES" attributeType="String"/>
      <attribute name="p" optional="YES" attributeType="Composite" composite="P"/>
      <attribute name="v" optional="YES" transient="YES" attributeType="Composite" composite="P"/>
      <fetchIndex name="i"><fetchIndexElement property="p.x" type="Binary" order="ascending"/></fetchIndex>
      <uniquenessConstraints>
      <uniquenessConstraint><constraint value="p.x"/></uniquenessConstraint>
      <uniquenessConstraint><constraint value="p.y"/></uniquenessConstraint>
      <uniquenessConstraint><constraint value="p."/></uniquenessConstraint>
      <uniquenessConstraint><constraint value="t.x"/></uniquenessConstraint>
      <uniquenessConstraint><constraint value="p.x.x"/></uniquenessConstraint>
      <uniquenessConstraint><constraint value="v.x"/></uniquenessConstraint>
      </uniquenessConstraints></entity>
      <composite name="P"><attribute name="x" optional="YES" attributeType="String"/></composite>
      """)
    let names = [("p.y", 8), ("p.", 9), ("t.x", 10), ("p.x.x", 11)]
    let messages = found.map(\.description)
    #expect(messages.count == 5, "\(messages)")
    for (name, line) in names {
      let start = "m:\(line):1: error: [A] the uniqueness constraint names '\(name)', which"
      #expect(messages.contains { $0.hasPrefix("\(start) doesn't exist") }, "\(messages)")
    }
    #expect(
      messages.last
        == "m:12:1: error: [A] the uniqueness constraint names 'v.x', which is transient")
  }
}
