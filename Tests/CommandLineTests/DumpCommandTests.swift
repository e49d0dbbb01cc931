import Foundation
import ModelListing
import TestSupport
import Testing

struct DumpCommandTests {
  private func dump(
    _ arguments: String..., environment: [String: String] = [:]
  ) throws -> Tool.Outcome {
    try Tool.withTemporaryFolder { folder in
      try ShopSource.write(into: folder)
      return try Tool.run(
        arguments: ["dump", "Shop.xcdatamodel"] + arguments, environment: environment, in: folder)
    }
  }

  @Test func textIsAlignedAndComplete() throws {
    let outcome = try dump()
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.text == ShopSource.listing)
  }

  @Test func theSameInputGivesTheSameBytes() throws {
    for format in ["text", "json", "dot"] {
      let runs = try (0..<3).map { _ in try dump("--format", format).output }
      #expect(runs.allSatisfy { $0 == runs[0] }, "\(format)")
    }
  }

  @Test func jsonIsTheDocumentedSchema() throws {
    let outcome = try dump("--format", "json")
    let listing = try JSONDecoder().decode(ModelJSONListing.self, from: outcome.output)
    #expect(listing.schemaVersion == 1)
    #expect(listing.models.map(\.path) == ["Shop.xcdatamodel/contents"])
    #expect(listing.models[0].model.entities.map(\.name) == ["Customer", "Order"])
    #expect(
      listing.models[0].model.entities[0].properties[0].validation
        == [.init(predicate: "length >= 1", warning: .integer(1670))])
  }

  @Test func oneEntityIsShownAlone() throws {
    let outcome = try dump("--entity", "Order")
    #expect(outcome.text.contains("entity Order"))
    #expect(!outcome.text.contains("entity Customer"))
    let missing = try dump("--entity", "order")
    #expect(missing.status == 2)
    #expect(
      missing.errors
        == "Shop.xcdatamodel/contents: error: the model has no entity 'order' (did you mean 'Order'?)\n"
    )
    #expect(missing.output.isEmpty)
  }

  @Test func colourIsForTerminalsUnlessAskedFor() throws {
    let escape = "\u{1B}["
    #expect(try !dump().text.contains(escape))
    #expect(try !dump("--color", "auto", environment: ["NO_COLOR": "1"]).text.contains(escape))
    #expect(try !dump("--color", "never").text.contains(escape))
    let coloured = try dump("--color", "always", environment: ["NO_COLOR": "1"]).text
    #expect(coloured.contains(escape))
    #expect(coloured.replacing(#/\u{1B}\[[0-9;]*m/#, with: "") == ShopSource.listing)
  }

  @Test func aDrawingIsDOT() throws {
    let outcome = try dump("--format", "dot")
    #expect(outcome.text.hasPrefix("digraph \"Shop.xcdatamodel/contents\" {\n"))
    #expect(outcome.text.contains("  e1 -> e2 [headlabel=<orders>, arrowhead=crowodot, "))
    #expect(outcome.text.hasSuffix("}\n"))
  }

  @Test func svgNeedsNoOtherProgram() throws {
    let outcome = try dump("--format", "svg", environment: ["PATH": "/nowhere"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.text.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\""))
    #expect(outcome.text.contains("<title>Shop.xcdatamodel/contents</title>"))
    #expect(outcome.text.contains(">Customer</text>"))
    // A relationship and its inverse share one line.
    #expect(outcome.text.split(separator: "<g class=\"line ").count == 2)
    #expect(try dump("--format", "svg").output == outcome.output)
  }

  @Test func severalModelsAreOneDocumentAndNoDrawing() throws {
    try Tool.withTemporaryFolder { folder in
      try ShopSource.write(into: folder, named: "A")
      try ShopSource.write(into: folder, named: "B")
      let inputs = ["dump", "B.xcdatamodel", "A.xcdatamodel", "--format"]
      let json = try Tool.run(arguments: inputs + ["json"], in: folder)
      let listing = try JSONDecoder().decode(ModelJSONListing.self, from: json.output)
      #expect(listing.models.map(\.path) == ["B.xcdatamodel/contents", "A.xcdatamodel/contents"])
      let svg = try Tool.run(arguments: inputs + ["svg"], in: folder)
      #expect(svg.status == 2)
      #expect(svg.errors.contains("svg shows a single model, but there are 2"))
    }
  }

  @Test func aVersionOfASourceIsNamedByOptionOrByPath() throws {
    try Tool.withTemporaryFolder { folder in
      let bundle = folder.appendingPathComponent("Shop.xcdatamodeld")
      try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
      try ShopSource.write(into: bundle, named: "Shop")
      try ShopSource.write(into: bundle, named: "Shop 2")
      let unmarked = try Tool.run("dump", "Shop.xcdatamodeld", in: folder)
      #expect(unmarked.status == 2)
      #expect(unmarked.errors.hasPrefix("Shop.xcdatamodeld: error: there are 2 versions"))
      let named = try Tool.run("dump", "Shop.xcdatamodeld", "--version", "Shop 2", in: folder)
      #expect(named.text.hasPrefix("model Shop.xcdatamodeld/Shop 2.xcdatamodel"))
      #expect(try Tool.run("dump", "Shop.xcdatamodeld/Shop 2", in: folder).text == named.text)
      // However a version is specified, only that version is read.
      for command in [
        ["dump"], ["dump", "--all-versions"], ["hashes"], ["generate", "--dry-run"],
      ] {
        for input in ["Shop.xcdatamodeld@Shop 2", "Shop.xcdatamodeld/Shop 2"] {
          let one = try Tool.run(arguments: command + [input], in: folder)
          #expect(one.status == 0, "\(command) \(input): \(one.errors)")
          let titles = one.text.split(separator: "\n").filter { $0.hasPrefix("model ") }
          #expect(titles.count == (command[0] == "generate" ? 0 : 1), "\(command) \(input)")
        }
      }
      // All commands give the same message for a version that doesn't exist.
      for arguments in [
        ["dump", "Shop.xcdatamodeld", "--version", "V9"], ["dump", "Shop.xcdatamodeld@V9"],
        ["hashes", "Shop.xcdatamodeld/V9"], ["diff", "Shop.xcdatamodeld@V9", "Shop.xcdatamodeld"],
        ["convert", "Shop.xcdatamodeld", "--version", "V9", "Shop.mom"],
        ["convert", "Shop.xcdatamodeld/V9", "Shop.mom"],
      ] {
        let gone = try Tool.run(arguments: arguments, in: folder)
        #expect(gone.status == 2)
        #expect(
          gone.errors.hasSuffix(": error: there is no version 'V9'; there is 'Shop', 'Shop 2'\n")
            || gone.errors.hasSuffix(
              ": error: there is no version 'V9'; there is 'Shop 2', 'Shop'\n"),
          "\(arguments): \(gone.errors)")
      }
      let all = try Tool.run("dump", "Shop.xcdatamodeld", "--all-versions", in: folder)
      #expect(all.text.split(separator: "\n").filter { $0.hasPrefix("model ") }.count == 2)
    }
  }

  @Test(arguments: [
    ("", "the file is empty"), ("hello", "the file contains no model"), ("bplist00xyz", "error: "),
    ("<?xml version=\"1.0\"?><a/>", "error: "), ("momv2$", "error: "),
    ("SQLite format 3\u{0}", "error: "),
  ])
  func whatIsNoModelIsRefused(contents: String, message: String) throws {
    try Tool.withTemporaryFolder { folder in
      try Data(contents.utf8).write(to: folder.appendingPathComponent("X.mom"))
      let outcome = try Tool.run("dump", "X.mom", in: folder)
      #expect(outcome.status == 2)
      #expect(outcome.output.isEmpty)
      #expect(outcome.errors.hasPrefix("X.mom"))
      #expect(outcome.errors.contains(message))
    }
  }

  @Test func sourceErrorsHaveALineAndAColumn() throws {
    try Tool.withTemporaryFolder { folder in
      let model = try ShopSource.write(into: folder)
      let broken = ShopSource.contents.replacing("\"Decimal\"", with: "\"Dezimal\"")
      try Data(broken.utf8).write(to: model.appendingPathComponent("contents"))
      let outcome = try Tool.run("dump", "Shop.xcdatamodel", in: folder)
      #expect(outcome.status == 0)
      let line = #/Shop\.xcdatamodel/contents:8:\d+: warning: .*Order\.total.*/#
      #expect(outcome.errors.firstMatch(of: line) != nil, "\(outcome.errors)")
    }
  }
}
