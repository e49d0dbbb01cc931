import Foundation
import TestSupport
import Testing

struct ConvertCommandTests {
  @Test func aSourceBecomesACompiledModel() throws {
    try Tool.withTemporaryFolder { folder in
      try ShopSource.write(into: folder)
      let outcome = try Tool.run("convert", "Shop.xcdatamodel", "Shop.mom", in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output.isEmpty)
      let listing = try Tool.run("dump", "Shop.mom", in: folder)
      #expect(
        listing.text == ShopSource.listing.replacing("Shop.xcdatamodel/contents", with: "Shop.mom"))
    }
  }

  @Test func standardInputAndOutputArePipes() throws {
    try Tool.withTemporaryFolder { folder in
      try ShopSource.write(into: folder)
      let compiled = try Tool.run("convert", "Shop.xcdatamodel", "-", in: folder)
      #expect(compiled.output.starts(with: Data("bplist00".utf8)))
      let again = try Tool.run("convert", "-", "-", input: compiled.output)
      #expect(again.output == compiled.output)
      let listing = try Tool.run("dump", "-", input: compiled.output)
      #expect(listing.text.hasPrefix("model -\n"))
    }
  }

  @Test(arguments: [
    ["a.mom", "b.plist"], ["a.mom", "b"], ["a.mom", "a.mom"], ["a.mom", "./a.mom"], ["a.mom"],
  ])
  func aWrongOutputIsRefusedBeforeAnythingIsRead(arguments: [String]) throws {
    let outcome = try Tool.run(arguments: ["convert"] + arguments)
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
  }

  @Test func aFailedConversionLeavesTheOutputAlone() throws {
    try Tool.withTemporaryFolder { folder in
      let output = folder.appendingPathComponent("Out.mom")
      try Data("precious".utf8).write(to: output)
      try Data("bplist00".utf8).write(to: folder.appendingPathComponent("Broken.mom"))
      let outcome = try Tool.run("convert", "Broken.mom", "Out.mom", in: folder)
      #expect(outcome.status == 2)
      #expect(outcome.errors.hasPrefix("Broken.mom"))
      #expect(try Data(contentsOf: output) == Data("precious".utf8))
    }
  }

  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func everyStampedModelIsWrittenToTheByte() throws {
    try Tool.withTemporaryFolder { folder in
      let output = folder.appendingPathComponent("Out.mom")
      var count = 0
      for file in Corpus.files(ofKind: "mom") {
        let bytes = try Data(contentsOf: file.url)
        guard bytes.range(of: Data("CDMCompilerXcodeVersion".utf8)) != nil else { continue }
        let outcome = try Tool.run("convert", file.url.path, output.path)
        #expect(outcome.status == 0, "\(file.path): \(outcome.errors)")
        #expect(try Data(contentsOf: output) == bytes, "\(file.path)")
        count += 1
      }
      #expect(count > 0)
    }
  }
}
