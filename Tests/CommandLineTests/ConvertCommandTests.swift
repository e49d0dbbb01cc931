import Foundation
import ModelListing
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

  @Test func aBundleKeepsItsVersionsAsSourceAndCompiled() throws {
    try Tool.withTemporaryFolder { folder in
      let shop = Corpus.packageRoot.appendingPathComponent("TestArchives/Shop.xcdatamodeld").path
      let listing = try Tool.run("hashes", shop, "--format", "json").hashes
      for (input, output) in [
        (shop, "A.momd"), ("A.momd", "B.momd"), ("B.momd", "C.xcdatamodeld"),
        ("C.xcdatamodeld", "D.momd"),
      ] {
        let outcome = try Tool.run("convert", input, output, in: folder)
        #expect(outcome.status == 0, "\(output): \(outcome.errors)")
        #expect(try Tool.run("hashes", output, "--format", "json", in: folder).hashes == listing)
        let names = try FileManager.default.contentsOfDirectory(
          atPath: folder.appendingPathComponent(output).path)
        #expect(
          names.sorted()
            == (output.hasSuffix("momd")
              ? ["Shop 2.mom", "Shop.mom", "VersionInfo.plist"]
              : [".xccurrentversion", "Shop 2.xcdatamodel", "Shop.xcdatamodel"]))
      }
      for name in ["Shop.mom", "Shop 2.mom", "VersionInfo.plist"] {
        let copies = try ["A", "B"].map {
          try Data(contentsOf: folder.appendingPathComponent("\($0).momd/\(name)"))
        }
        #expect(copies[0] == copies[1], "\(name)")
      }
      #expect(try Tool.run("verify", "A.momd", in: folder).text == "A.momd: as recorded\n")

      let one = try Tool.run("convert", "A.momd", "--version", "Shop", "One.mom", in: folder)
      #expect(one.status == 0, "\(one.errors)")
      #expect(
        try Data(contentsOf: folder.appendingPathComponent("One.mom"))
          == Data(contentsOf: folder.appendingPathComponent("A.momd/Shop.mom")))
      let gone = try Tool.run("convert", "A.momd", "--version", "Shop 3", "One.mom", in: folder)
      #expect(gone.status == 2)
      #expect(gone.errors.hasPrefix("A.momd: error: there is no version 'Shop 3'"))
    }
  }

  /// No model has two attributes of one name, and a source with both must not lose one.
  @Test func theSecondOfTwoOfOneNameIsKept() throws {
    try Tool.withTemporaryFolder { folder in
      let model = folder.appendingPathComponent("Shop.xcdatamodel")
      try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
      let attributes = [OrderSource.attribute("x"), OrderSource.attribute("x", "Date")]
      try Data(OrderSource.contents(attributes).utf8)
        .write(to: model.appendingPathComponent("contents"))
      let run = try Tool.run("convert", "Shop.xcdatamodel", "Copy.xcdatamodel", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let copy = try String(
        contentsOf: folder.appendingPathComponent("Copy.xcdatamodel/contents"), encoding: .utf8)
      for attribute in attributes { #expect(copy.contains(attribute), "\(copy)") }
    }
  }

  @Test func aDamagedHashIsFound() throws {
    try Tool.withTemporaryFolder { folder in
      let shop = Corpus.packageRoot.appendingPathComponent("TestArchives/Shop.xcdatamodeld").path
      _ = try Tool.run("convert", shop, "A.momd", in: folder)
      let file = folder.appendingPathComponent("A.momd/VersionInfo.plist")
      var bytes = [UInt8](try Data(contentsOf: file))
      let hash = try #require(
        bytes.indices.first { bytes[$0...].starts(with: [0x4F, 0x10, 0x20]) })
      bytes[hash + 5] ^= 1
      try Data(bytes).write(to: file)
      let outcome = try Tool.run("verify", "A.momd", in: folder)
      #expect(outcome.status == 1)
      #expect(outcome.errors == "")
      #expect(outcome.text.split(separator: "\n").count == 1)
      #expect(outcome.text.contains(": the version hash differs: recorded "))
      let json = try Tool.run("verify", "A.momd", "--format", "json", in: folder)
      #expect(json.status == 1)
      #expect(json.text.contains("\"kind\": \"entity-hash\""))

      try FileManager.default.removeItem(at: folder.appendingPathComponent("A.momd/Shop.mom"))
      let missing = try Tool.run("verify", "A.momd", in: folder)
      #expect(missing.status == 1)
      #expect(missing.text.contains("version 'Shop': recorded, but there is no such file"))
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

  /// Overwriting a bundle of two versions with one would lose the other.
  @Test(arguments: ["momd", "xcdatamodeld"])
  func versionsOfTheOutputAreNotDropped(suffix: String) throws {
    try Tool.withTemporaryFolder { folder in
      let shop = Corpus.packageRoot.appendingPathComponent("TestArchives/Shop.\(suffix)")
      let output = folder.appendingPathComponent("Out.\(suffix)")
      try FileManager.default.copyItem(at: shop, to: output)
      let before = try TemporaryFolder.contents(of: output)
      let arguments = ["convert", shop.path, "--version", "Shop", output.path]
      let refused = try Tool.run(arguments: arguments)
      #expect(refused.status == 2)
      #expect(
        refused.errors == """
          \(output.path): error: it has versions that would be dropped: 'Shop 2'; remove it first, \
          or give --force

          """)
      #expect(try TemporaryFolder.contents(of: output) == before)

      // A bundle is replaced if the new one has all its versions, or with --force.
      #expect(try Tool.run("convert", shop.path, output.path).status == 0)
      #expect(
        try TemporaryFolder.contents(of: output).keys.filter { $0.contains("Shop 2") }.isEmpty
          == false)
      let forced = try Tool.run(arguments: arguments + ["--force"])
      #expect(forced.status == 0, "\(forced.errors)")
      #expect(
        try TemporaryFolder.contents(of: output).keys.filter { $0.contains("Shop 2") } == [])
    }
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

extension Tool.Outcome {
  /// The hashes by version, from the output of `momtool hashes --format json`.
  fileprivate var hashes: [String: [String: String]] {
    get throws {
      let listing = try JSONDecoder().decode(ModelHashListing.self, from: output)
      return Dictionary(
        uniqueKeysWithValues: listing.models.map { ($0.version ?? "", $0.entities) })
    }
  }
}
