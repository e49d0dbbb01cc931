import Foundation
import TestSupport
import Testing

/// diff, merge, migrate-check and identify as processes: what they print, how they end, and what
/// they refuse.
@Suite struct EvolutionCommandTests {
  private let number = OrderSource.attribute("number", "Integer 64")

  /// A folder with a bundle of two versions and a few files that are no models.
  private func withModels<Result>(_ body: (URL) throws -> Result) throws -> Result {
    try Tool.withTemporaryFolder { folder in
      func write(_ text: String, _ path: String) throws {
        let url = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
          at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
      }
      try write(
        OrderSource.contents([number]), "Shop.xcdatamodeld/V1.xcdatamodel/contents")
      try write(
        OrderSource.contents([number, OrderSource.attribute("total", "Decimal", optional: false)]),
        "Shop.xcdatamodeld/V2.xcdatamodel/contents")
      try write(OrderSource.pointer("V2"), "Shop.xcdatamodeld/.xccurrentversion")
      try write(
        OrderSource.contents([OrderSource.attribute("number", "String")]),
        "Other.xcdatamodel/contents")
      try write("<model><entity name='x'", "Corrupt.xcdatamodel/contents")
      try write("no model", "Text.mom")
      try write("", "Empty.mom")
      return try body(folder)
    }
  }

  @Test func diffShowsSteps() throws {
    try withModels { folder in
      let outcome = try Tool.run("diff", "Shop.xcdatamodeld", in: folder)
      #expect(outcome.status == 1)
      #expect(
        outcome.text == """
          V1 → V2: 1 change, 1 of it in version hashes
          entity Order
            + attribute total (Decimal, mandatory)  (hash: an entity's hash covers its persistent \
          properties by name)

          """)
      let zero = try Tool.run("diff", "Shop.xcdatamodeld", "--exit-zero", in: folder)
      #expect(zero.status == 0)
      let same = try Tool.run(
        "diff", "Shop.xcdatamodeld@V2", "Shop.xcdatamodeld", in: folder)
      #expect(same.status == 0)
      #expect(same.text.hasSuffix(": no difference\n"))
    }
  }

  @Test func diffHasOtherForms() throws {
    try withModels { folder in
      let arguments = ["diff", "Shop.xcdatamodeld@V1", "Other.xcdatamodel", "--format"]
      let json = try Tool.run(arguments: arguments + ["json"], in: folder)
      let document = try JSONSerialization.jsonObject(with: json.output) as? [String: Any]
      #expect(document?["schemaVersion"] as? Int == 1)
      let report = (document?["reports"] as? [[String: Any]])?.first
      let change = (report?["changes"] as? [[String: Any]])?.first
      #expect(change?["fact"] as? String == "type")
      #expect(change?["old"] as? String == "Integer 64")
      #expect(change?["changesHash"] as? Bool == true)
      let markdown = try Tool.run(arguments: arguments + ["markdown"], in: folder)
      #expect(markdown.text.contains("| ~ | number: type Integer 64 → String | **changes**"))
      let colour = try Tool.run(
        arguments: arguments + ["text", "--color", "always"], in: folder)
      #expect(colour.text.contains("\u{1B}[33m"))
    }
  }

  @Test func migrateCheckSaysWhy() throws {
    try withModels { folder in
      let plan = try Tool.run("migrate-check", "Shop.xcdatamodeld", in: folder)
      #expect(plan.status == 1)
      #expect(plan.text.contains("V1 → V2: lightweight migration that fails with some data"))
      #expect(plan.text.contains("[attribute.added-mandatory]"))
      let allowed = try Tool.run(
        "migrate-check", "Shop.xcdatamodeld", "--allow-data-failures", in: folder)
      #expect(allowed.status == 0)
      let impossible = try Tool.run(
        "migrate-check", "Shop.xcdatamodeld@V1", "Other.xcdatamodel", "--allow-data-failures",
        in: folder)
      #expect(impossible.status == 1)
      #expect(impossible.text.contains("lightweight migration is not possible"))
      let mapping = try Tool.run(
        "migrate-check", "Shop.xcdatamodeld@V1", "Shop.xcdatamodeld", "--mapping", in: folder)
      #expect(mapping.text.contains("IEM_Transform_Order: Order → Order (transform)"))
    }
  }

  @Test func mergeJoinsModels() throws {
    try withModels { folder in
      let own = folder.appendingPathComponent("Own.xcdatamodel/contents")
      try FileManager.default.createDirectory(
        at: own.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(
        OrderSource.contents([number]).replacingOccurrences(of: "Order", with: "Invoice").utf8
      ).write(to: own)
      let joined = try Tool.run(
        "merge", "Shop.xcdatamodeld@V1", "Own.xcdatamodel", "-o", "All.mom", in: folder)
      #expect(joined.status == 0, "\(joined.errors)")
      let dump = try Tool.run("dump", "All.mom", in: folder)
      #expect(dump.text.contains("entity Invoice") && dump.text.contains("entity Order"))

      let refused = try Tool.run(
        "merge", "Shop.xcdatamodeld@V1", "Other.xcdatamodel", "-o", "Bad.mom", in: folder)
      #expect(refused.status == 1)
      #expect(refused.errors.contains("Order"))
      #expect(refused.errors.contains("Shop.xcdatamodeld@V1"))
      #expect(refused.errors.contains("Other.xcdatamodel"))
      #expect(
        !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Bad.mom").path))
    }
  }

  @Test func whatIsNoModelIsRefused() throws {
    try withModels { folder in
      for input in [
        "Gone.mom", "Text.mom", "Empty.mom", "Corrupt.xcdatamodel", "Shop.xcdatamodeld@V9",
        "git:HEAD:Shop.xcdatamodeld", "git:", "git:HEAD", ".",
      ] {
        for arguments in [
          ["diff", input, "Shop.xcdatamodeld"], ["migrate-check", "Shop.xcdatamodeld", input],
          ["merge", "Other.xcdatamodel", input, "-o", "Out.mom"],
          [
            "merge", "--base", input, "--ours", "Other.xcdatamodel", "--theirs",
            "Other.xcdatamodel", "-o", "Out.xcdatamodel",
          ],
          ["identify", input, "Other.xcdatamodel"],
        ] {
          let outcome = try Tool.run(arguments: arguments, in: folder)
          #expect(outcome.status == 2, "\(arguments): \(outcome.errors)")
          #expect(outcome.output.isEmpty, "\(arguments)")
          #expect(outcome.errors.contains(": error: "), "\(arguments): \(outcome.errors)")
        }
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(!left.contains { $0.hasPrefix("Out") || $0.hasPrefix(".momtool") })
    }
  }

  @Test func whatCannotBeWrittenIsLeftAsItWas() throws {
    try withModels { folder in
      for output in ["No/Such/Folder/Out.mom", "Out.unknown", "Text.mom/Out.xcdatamodel"] {
        let outcome = try Tool.run(
          "merge", "Other.xcdatamodel", "-o", output, in: folder)
        #expect(outcome.status == 2, "\(output): \(outcome.errors)")
        #expect(outcome.errors.contains("\(output): error: "), "\(outcome.errors)")
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(!left.contains { $0.hasPrefix(".momtool") || $0.hasPrefix("Out") })
    }
  }

  @Test func unknownRevisionsAreNamed() throws {
    let repository = try TemporaryRepository()
    try repository.write(
      OrderSource.contents([number]), to: "Shop.xcdatamodeld/V1.xcdatamodel/contents")
    try repository.commit("one")
    let folder = repository.folder
    let unknown = try Tool.run("diff", "git:v9:Shop.xcdatamodeld", "Shop.xcdatamodeld", in: folder)
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains("no commit is called 'v9'"))
    let missing = try Tool.run(
      "diff", "git:HEAD:Gone.xcdatamodeld", "Shop.xcdatamodeld", in: folder)
    #expect(missing.status == 2)
    #expect(missing.errors.contains("'Gone.xcdatamodeld' is not in HEAD"))
    let same = try Tool.run(
      "diff", "git:HEAD:./Shop.xcdatamodeld@V1", "Shop.xcdatamodeld", in: folder)
    #expect(same.status == 0, "\(same.errors)")
  }

  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func storesAreIdentified() throws {
    struct Row: Decodable {
      let store: String
      let model_by_hash: [String]
    }
    let rows = try JSONDecoder().decode(
      [Row].self, from: Data(contentsOf: Corpus.root.appendingPathComponent("stores.json")))
    let row = try #require(rows.first { !$0.model_by_hash.isEmpty })
    let store = Corpus.root.appendingPathComponent(row.store).path
    let model = Corpus.root.appendingPathComponent(row.model_by_hash[0]).path
    let found = try Tool.run("identify", store, model)
    #expect(found.status == 0)
    #expect(found.text == "\(store): made with \(model)\n")
    let bundle = URL(fileURLWithPath: model).deletingLastPathComponent().path
    #expect(try Tool.run("identify", store, bundle).status == 0)
    try withModels { folder in
      let none = try Tool.run("identify", store, "Other.xcdatamodel", in: folder)
      #expect(none.status == 1)
      #expect(none.text.contains("made with none of these models"))
      #expect(none.text.contains("Order: only the model has it"))
    }
  }
}
