import Foundation
import TestSupport
import Testing

/// The text output of migrate-check and lint.
@Suite struct ReportTextTests {
  private static let number = OrderSource.attribute("number", "Integer 64")
  private static let note = OrderSource.attribute("note")

  private static func bundle(_ versions: [(String, [String])], current: String, in folder: URL)
    throws
  {
    let bundle = folder.appendingPathComponent("Shop.xcdatamodeld")
    for (name, attributes) in versions {
      let version = bundle.appendingPathComponent("\(name).xcdatamodel")
      try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
      try Data(OrderSource.contents(attributes).utf8)
        .write(to: version.appendingPathComponent("contents"))
    }
    try Data(OrderSource.pointer(current).utf8)
      .write(to: bundle.appendingPathComponent(".xccurrentversion"))
  }

  private static let versions = [
    ("V1", [number]), ("V2", [number, note]),
    ("V3", [number, OrderSource.attribute("note", "Integer 16")]),
    ("V4", [number, OrderSource.attribute("note", optional: false)]),
    ("V10", [OrderSource.attribute("note", optional: false)]),
  ]

  @Test func migrateCheckCountsFirst() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.bundle(Self.versions, current: "V4", in: folder)
      let run = try Tool.run("migrate-check", "Shop.xcdatamodeld", in: folder)
      #expect(run.status == 1)
      let lines = run.text.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(
        lines.prefix(6) == [
          "4 versions to V4: 1 lightweight migration, 2 lightweight migration that fails with some"
            + " data, 1 lightweight migration is not possible", "",
          "  V1   lightweight migration that fails with some data",
          "  V2   lightweight migration that fails with some data",
          "  V3   lightweight migration is not possible", "  V10  lightweight migration",
        ], "\(run.text)")
      #expect(run.text.contains("\n\nV3 → V4: lightweight migration is not possible\n  "))
      #expect(!run.text.contains("V10 → V4"))
      let failing = try Tool.run("migrate-check", "Shop.xcdatamodeld", "--failing", in: folder)
      #expect(failing.status == 1 && !failing.text.contains("V10"))
      let details = try Tool.run("migrate-check", "Shop.xcdatamodeld", "--details", in: folder)
      #expect(details.text.contains("V10 → V4: lightweight migration\n"))
      let json = try Tool.run("migrate-check", "Shop.xcdatamodeld", "--format", "json", in: folder)
      #expect(json.text.contains("\"outcome\": \"impossible\""), "\(json.text.prefix(300))")
    }
  }

  /// A loop over the bundles of a repository isn't stopped by those with a single version.
  @Test func oneVersionIsNoTrouble() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.bundle([("V1", [Self.number])], current: "V1", in: folder)
      let run = try Tool.run("migrate-check", "Shop.xcdatamodeld", in: folder)
      #expect(run.status == 0 && run.text.isEmpty)
      #expect(run.errors.contains("there is only one version"))
    }
  }

  @Test func theCurrentVersionMayBeTheFirst() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.bundle(
        [("V1", [Self.number]), ("V2", [Self.number, Self.note])], current: "V1", in: folder)
      let run = try Tool.run("migrate-check", "Shop.xcdatamodeld", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(
        run.text.hasPrefix("1 version to V1: 1 lightweight migration\n\n  V2  "), "\(run.text)")
    }
  }

  @Test func mappingModelsBesideTheModelsAreNamed() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.bundle(Self.versions, current: "V4", in: folder)
      let made = try Tool.run(
        "migrate-check", "Shop.xcdatamodeld@V1", "Shop.xcdatamodeld@V2", "--mapping", "V1toV2.cdm",
        in: folder)
      #expect(made.status == 0, "\(made.errors)")
      let run = try Tool.run(
        "migrate-check", "Shop.xcdatamodeld@V1", "Shop.xcdatamodeld@V2", in: folder)
      #expect(
        run.errors.contains(
          "V1toV2.cdm: warning: this mapping model migrates between these versions"))
      let other = try Tool.run(
        "migrate-check", "Shop.xcdatamodeld@V1", "Shop.xcdatamodeld@V4", in: folder)
      #expect(!other.errors.contains("V1toV2.cdm"))
    }
  }

  @Test func lintFindsTheSourcesOfAFolder() throws {
    try Tool.withTemporaryFolder { folder in
      let source = """
        <model><entity name="A">
          <relationship name="b" optional="YES" destinationEntity="A"/>
        </entity></model>
        """
      for name in [
        "Tests/B.xcdatamodel", "App/A.xcdatamodeld/A.xcdatamodel", ".build/C.xcdatamodel",
      ] {
        let place = folder.appendingPathComponent("Project/\(name)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try Data(source.utf8).write(to: place.appendingPathComponent("contents"))
      }
      let outcome = try Tool.run("lint", "Project/", "--only", "missing-inverse", in: folder)
      #expect(
        outcome.text.split(separator: "\n").map { $0.prefix { $0 != ":" } } == [
          "Project/App/A.xcdatamodeld/A.xcdatamodel/contents",
          "Project/Tests/B.xcdatamodel/contents",
        ], "\(outcome.text)\(outcome.errors)")
    }
  }

  @Test func lintCountsAndLooksAtTheCurrentVersionOnRequest() throws {
    try Tool.withTemporaryFolder { folder in
      // A relationship without inverse in every version, to-many in the old one.
      func relationship(_ number: Int) -> String {
        "<relationship name=\"r\(number)\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\""
          + " destinationEntity=\"Order\"/>"
      }
      try Self.bundle(
        [("V1", (0..<12).map(relationship)), ("V2", [relationship(0)])], current: "V2", in: folder)
      let all = try Tool.run("lint", "Shop.xcdatamodeld", in: folder)
      #expect(all.status == 0)
      #expect(all.text.split(separator: "\n").count == 13, "\(all.text)")
      #expect(all.errors == "lint: warning: 0 errors and 13 warnings in 2 files\n", "\(all.errors)")
      let current = try Tool.run("lint", "Shop.xcdatamodeld", "--current-only", in: folder)
      #expect(current.text.split(separator: "\n").count == 1 && current.errors.isEmpty)
      #expect(current.text.contains("V2.xcdatamodel/contents:"))
      #expect(
        try Tool.run("lint", "Shop.xcdatamodeld", "--current-only", "--strict", in: folder).status
          == 1)
    }
  }

  /// A version that was added and not edited yet: only its identifier differs, after which everything is elsewhere in the
  /// file.
  @Test func lintReportsAVersionThatSaysWhatAnotherSays() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.bundle(
        [("V1", [Self.number]), ("V2", [Self.number]), ("V3", [Self.number, Self.note])],
        current: "V3", in: folder)
      let second = folder.appendingPathComponent("Shop.xcdatamodeld/V2.xcdatamodel/contents")
      let text = try String(contentsOf: second, encoding: .utf8)
      let identified = text.replacing("Identifier=\"\"", with: "Identifier=\"2.0\"")
      #expect(identified != text)
      try Data(identified.utf8).write(to: second)
      let run = try Tool.run("lint", "Shop.xcdatamodeld", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let found = run.text.split(separator: "\n").filter { $0.contains("the version says what") }
      #expect(found.count == 1, "\(run.text)")
      #expect(found.first?.contains("/V2.xcdatamodel/contents: warning: ") == true)
      #expect(found.first?.contains("says what 'V1' says") == true)
    }
  }
}
