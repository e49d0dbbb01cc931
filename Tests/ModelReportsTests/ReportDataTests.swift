import DataModels
import Foundation
import ManagedObjects
import ModelEvolution
import ModelListing
import TestSupport
import Testing

@testable import ModelReports

struct ReportDataTests {
  private func report(_ model: NSManagedObjectModel, title: String = "Test") -> ReportData {
    var report = ReportData(title: title)
    report.model = .init(ModelSchema(model))
    return report
  }

  // MARK: Escaping

  @Test(arguments: [
    "</script><script>alert(1)</script>", "\"'<img src=x onerror=alert(1)>", "a\u{202E}b\u{2066}c",
    "<!--", "]]>", "\u{2028}\u{2029}\u{0}", "&lt;", "'\\\"",
  ])
  func namesCantBreakAPage(name: String) throws {
    let hostile = entity(name, [attribute(name)])
    hostile.userInfo = [name: name]
    let made = model([hostile, entity("Other", [attribute("x")])])
    var report = self.report(made, title: name)
    report.findings = [
      .init(
        source: "lint", severity: "error", rule: name, entity: name, property: name, message: name)
    ]
    let page = try ReportPage(report, schema: ModelSchema(made)).html()
    // The page's own scripts, and no others.
    #expect(page.components(separatedBy: "<script").count == 3)
    #expect(page.components(separatedBy: "</script").count == 3)
    #expect(!page.contains("<img"))
    #expect(!page.contains("onerror=alert(1)>"))
    let start = try #require(page.range(of: "id=\"data\">"))
    let end = try #require(page.range(of: "</script>", range: start.upperBound..<page.endIndex))
    let json = page[start.upperBound..<end.lowerBound]
    #expect(!json.contains("<") && !json.contains(">"))
    let read = try JSONDecoder().decode(ReportData.self, from: Data(json.utf8))
    #expect(read.title == name)
    #expect(read.model?.entities.contains { $0.name == name } == true)
  }

  @Test func theSameReportGivesTheSameBytes() throws {
    let made = model([entity("A", [attribute("x")]), entity("B", [attribute("y")])])
    let page = ReportPage(report(made), schema: ModelSchema(made))
    let html = try page.html()
    let again = try page.html()
    #expect(again == html)
    // A namespace, from which nothing is loaded.
    #expect(!html.replacing("http://www.w3.org/2000/svg", with: "").contains("http://"))
    #expect(!html.contains("https://"))
  }

  /// Parts are encoded one by one.
  @Test func theJSONIsThatOfTheWholeReport() throws {
    let made = model([entity("A<&>", [attribute("x")]), entity("B", [attribute("y")])])
    var report = self.report(made, title: "</title>/é\u{7F}")
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    for step in 0..<3 {
      if step > 0 {
        report.versions = .init(
          VersionedModel([("1", made), ("2", model([entity("A")]))], currentVersionName: "2"))
      }
      if step > 1 {
        report.findings = [
          .init(source: "lint", severity: "error", rule: "r", message: "a<b", rows: [1, 2])
        ]
        report.model = nil
      }
      let whole = String(decoding: try encoder.encode(report), as: UTF8.self)
        .replacing("<", with: "\\u003c").replacing(">", with: "\\u003e")
        .replacing("&", with: "\\u0026").replacing("\u{7F}", with: "\\u007f")
      #expect(try report.embeddedJSON() == whole)
    }
  }

  // MARK: Words

  @Test(arguments: [
    ("length >= 1", "not empty"), ("length >= 3", "at least 3 characters"),
    ("length <= 1", "at most 1 character"), ("SELF >= -2.5", "at least -2.5"),
    ("SELF MATCHES \"[a-z]+\"", "matches [a-z]+"),
    ("timeIntervalSinceReferenceDate >= 0", "not before 2001-01-01"),
    ("SELF >= 1 AND SELF <= 2", "valid if SELF >= 1 AND SELF <= 2"),
    ("name == \"x\"", "valid if name == \"x\""),
  ])
  func validationIsSaidInWords(predicate: String, words: String) {
    let rule = ModelSchema.ValidationRule(predicate: predicate)
    #expect(ValidationWords.text(rule, type: .init(rawValue: 700)) == words)
  }

  @Test(arguments: [
    (0, true, "any number"), (-1, true, "any number"), (-1, false, "one or more"),
    (1, true, "none or one"), (3, true, "up to 3"),
  ])
  func countsOfRelationshipsAreSaidInWords(most: Int, isOptional: Bool, words: String) {
    let link = relationship("link", max: most, optional: isOptional)
    let data = report(model([entity("A", [link])]))
    #expect(data.model?.entities.first?.relationships.first?.count == words)
  }

  // MARK: Versions

  @Test func elementsAreFollowedThroughVersions() throws {
    let one = model([entity("Person", [attribute("name")]), entity("Gone", [attribute("x")])])
    let renamed = entity("Human", [attribute("name"), attribute("age")])
    renamed.renamingIdentifier = "Person"
    let two = model([renamed])
    let versions = ReportData.Versions(
      VersionedModel([("V1", one), ("V2", two)], currentVersionName: "V2"))
    #expect(versions.names == ["V1", "V2"])
    #expect(versions.current == 1)
    #expect(versions.sizes == [[2, 2, 0], [1, 2, 0]])
    func track(_ name: String, in version: Int, kind: String) -> ReportData.Versions.Track? {
      versions.tracks.first { track in
        versions.kinds[track.kind].name == kind
          && track.states.contains { state in
            state.count > 2 && state[0] == version
              && (state[2] < 0 ? versions.texts[state[1]] : versions.texts[state[2]]) == name
          }
      }
    }
    let human = try #require(track("Person", in: 0, kind: "entity"))
    #expect(human.states.map { $0[0] } == [0, 1])
    #expect(versions.texts[human.states[1][1]] == "Human")
    let gone = try #require(track("Gone", in: 0, kind: "entity"))
    #expect(gone.states.last == [1])
    #expect(track("age", in: 1, kind: "attribute")?.states.count == 1)
    let route = try #require(versions.routes.first { $0.from == 0 && $0.to == 1 })
    #expect(route.outcome == "lightweight")
    #expect(route.reasons.contains { versions.reasons[$0].rule == "entity.removed" })
  }

  @Test func whatStaysTheSameIsThereOnce() {
    let models = (0..<40).map { number in
      (
        "V\(number)",
        model(
          (0..<20).map {
            entity("E\($0)", [attribute("a"), attribute("b\($0 == number ? "x" : "")")])
          })
      )
    }
    let versions = ReportData.Versions(VersionedModel(models, currentVersionName: "V39"))
    #expect(versions.names.count == 40)
    #expect(versions.tracks.reduce(0) { $0 + $1.states.count } < 20 * 40)
    #expect(versions.routes.contains { $0.from == 0 && $0.to == 39 })
    #expect(versions.routes.contains { $0.from == 4 && $0.to == 5 })
  }

  // MARK: Corpus

  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func corpusModelsGivePages() throws {
    var count = 0
    for file in Corpus.files(ofKind: "mom").prefix(60) {
      guard let loaded = try? ModelFile(at: file.url.path).models(.current).first else { continue }
      let schema = ModelSchema(loaded.model)
      var report = self.report(loaded.model)
      report.findings = ReportData.lint(loaded.model)
      let page = try ReportPage(report, schema: schema).html()
      #expect(page.hasSuffix("</html>\n"))
      #expect(report.model?.entities.count == schema.entities.count)
      let layout = ModelDiagram(schema).layout
      for (index, frame) in layout.frames.enumerated() {
        for other in layout.frames[(index + 1)...] { #expect(!frame.overlaps(other)) }
      }
      count += 1
    }
    #expect(count > 20)
  }

  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func corpusStoresGivePages() throws {
    var count = 0
    for file in Corpus.files(ofKind: "sqlite").prefix(25) {
      guard let store = try? StoreFile(at: file.url.path),
        let model = try? store.cachedModel()
      else { continue }
      let before = try Data(contentsOf: file.url)
      let schema = ModelSchema(model)
      let places = Dictionary(
        schema.entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
      var report = self.report(model)
      report.store = try .init(at: file.url, model: model, places: places)
      report.findings = ReportData.check(file.url, model: model)
      let page = try ReportPage(report, schema: schema).html()
      let again = try ReportPage(report, schema: schema).html()
      #expect(page == again)
      let after = try Data(contentsOf: file.url)
      #expect(after == before)
      count += 1
    }
    #expect(count > 3)
  }
}
