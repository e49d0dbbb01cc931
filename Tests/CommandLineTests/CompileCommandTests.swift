import DataModels
import Foundation
import ModelSource
import TestSupport
import Testing

/// `momtool compile`, `decompile` and `lint`, run as processes.
@Suite struct CompileCommandTests {
  private static let broken = """
    <model><entity name="A"><attribute name="x"/>
    <relationship name="b" optional="YES" maxCount="1" deletionRule="No Action" \
    destinationEntity="A"/></entity></model>
    """

  /// Creates `Shop.xcdatamodeld` with one current version.
  private static func makeSource(in folder: URL, _ contents: String = ShopSource.contents) throws {
    let bundle = folder.appendingPathComponent("Shop.xcdatamodeld")
    let version = bundle.appendingPathComponent("Shop.xcdatamodel")
    try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
    try Data(contents.utf8).write(to: version.appendingPathComponent("contents"))
    try Data(ModelPackage.currentVersionFile(currentVersionName: "Shop").utf8)
      .write(to: bundle.appendingPathComponent(ModelPackage.currentVersionFileName))
  }

  @Test func aSourceGoesThereAndBack() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.makeSource(in: folder)
      let compiled = try Tool.run("compile", "Shop.xcdatamodeld", in: folder)
      #expect(compiled.status == 0 && compiled.errors == "")
      let made = try Tool.run("compile", "Shop.xcdatamodeld", "-o", "a/b/", in: folder)
      #expect(made.status == 0, "\(made.errors)")
      #expect(FileManager.default.fileExists(atPath: folder.path + "/a/b/Shop.momd/Shop.mom"))
      let verified = try Tool.run("verify", "Shop.momd", in: folder)
      #expect(verified.status == 0)
      let back = try Tool.run("decompile", "Shop.momd", "-o", "Back.xcdatamodeld", in: folder)
      #expect(back.status == 0 && back.errors == "")
      let same = try Tool.run("compile", "Back.xcdatamodeld", in: folder)
      #expect(same.status == 0)
      let files = ["Shop.momd/Shop.mom", "Back.momd/Shop.mom"].map {
        FileManager.default.contents(atPath: folder.appendingPathComponent($0).path)
      }
      #expect(files[0] != nil && files[0] == files[1])
      // An existing source isn't overwritten.
      let again = try Tool.run("decompile", "Shop.momd", "-o", "Back.xcdatamodeld", in: folder)
      #expect(again.status == 2)
      let forced = try Tool.run(
        "decompile", "Shop.momd", "-o", "Back.xcdatamodeld", "--force", in: folder)
      #expect(forced.status == 0)
    }
  }

  /// The name of the output says what is made of a bundle.
  @Test func aBundleBecomesWhatTheOutputIsCalled() throws {
    try Tool.withTemporaryFolder { folder in
      func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent(path).path)
      }
      try Self.makeSource(in: folder)
      let second = folder.appendingPathComponent("Shop.xcdatamodeld/Shop 2.xcdatamodel")
      try FileManager.default.createDirectory(at: second, withIntermediateDirectories: true)
      let contents = ShopSource.contents.replacing("Customer", with: "Client")
      try Data(contents.utf8).write(to: second.appendingPathComponent("contents"))
      #expect(try Tool.run("compile", "Shop.xcdatamodeld", in: folder).status == 0)

      let single = try Tool.run("decompile", "Shop.momd", "-o", "One.xcdatamodel", in: folder)
      #expect(single.status == 0, "\(single.errors)")
      #expect(exists("One.xcdatamodel/contents") && !exists("One.xcdatamodel/.xccurrentversion"))
      let dump = try Tool.run("dump", "One.xcdatamodel", in: folder)
      #expect(dump.text.contains("entity Customer") && !dump.text.contains("Client"))

      // Without a current version it can't be told which is meant.
      try FileManager.default.removeItem(
        at: folder.appendingPathComponent("Shop.momd/VersionInfo.plist"))
      let unclear = try Tool.run("decompile", "Shop.momd", "-o", "Two.xcdatamodel", in: folder)
      #expect(unclear.status == 2 && !exists("Two.xcdatamodel"), "\(unclear.errors)")

      for name in ["Three", "Three.mom", "Three.json"] {
        let refused = try Tool.run("decompile", "Shop.momd", "-o", name, in: folder)
        #expect(refused.status == 64 && !exists(name), "\(refused.errors)")
      }
    }
  }

  /// A model is no folder for others.
  @Test func nothingIsWrittenIntoModels() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.makeSource(in: folder)
      let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
      for output in [
        "Shop.xcdatamodeld", "Shop.xcdatamodeld/", "Shop.xcdatamodeld/Shop.xcdatamodel",
      ] {
        let run = try Tool.run("compile", "Shop.xcdatamodeld", "-o", output, in: folder)
        #expect(run.status == 2 && run.errors.contains("Shop.momd"), "\(run.errors)")
      }
      #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() == files)
    }
  }

  /// The older mark for indexed attributes is preserved, and versions and indexes are the same.
  @Test func indexedMarksGoThereAndBack() throws {
    try Tool.withTemporaryFolder { folder in
      let old = Corpus.packageRoot.appendingPathComponent("TestArchives/features/Index-OldFlag.mom")
      #expect(
        try Tool.run("decompile", old.path, "-o", "Old.xcdatamodel", in: folder).status == 0)
      let source = try String(
        contentsOf: folder.appendingPathComponent("Old.xcdatamodel/contents"), encoding: .utf8)
      #expect(source.contains("indexed=\"YES\"") && !source.contains("<fetchIndex"), "\(source)")
      #expect(try Tool.run("compile", "Old.xcdatamodel", in: folder).status == 0)
      for command in [["store", "schema"], ["hashes", "--format", "json"]] {
        let (before, after) = (
          try Tool.run(arguments: command + [old.path], in: folder),
          try Tool.run(arguments: command + ["Old.mom"], in: folder)
        )
        let same = before.text.replacing(old.path, with: "Old.mom")
        #expect(before.status == 0 && same == after.text, "\(command): \(same)\(after.text)")
      }
    }
  }

  @Test(arguments: [
    (["--xcode", "15.4"], 150400), (["--stamp", "160000:23231"], 160000),
    (["--stamp", "none"], nil), ([], 260200),
  ])
  func theStampCanBeChosen(options: [String], version: Int?) throws {
    try Tool.withTemporaryFolder { folder in
      try Self.makeSource(in: folder)
      let run = try Tool.run(
        arguments: ["compile", "Shop.xcdatamodeld/Shop.xcdatamodel"] + options, in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let bytes = try Data(contentsOf: folder.appendingPathComponent("Shop.mom"))
      #expect(try ModelArchive.decode([UInt8](bytes)).compilerStamp?.xcodeVersion == version)
    }
  }

  /// Vintages result in different bytes for the same model, and converting preserves them.
  @Test func theAgeOfTheCompilerCanBeChosen() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.makeSource(in: folder)
      func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
      }
      var made: Set<[UInt8]> = []
      for age in ["6", "8", "9", "12", "13.4"] {
        let run = try Tool.run(
          "compile", "Shop.xcdatamodeld/Shop.xcdatamodel", "--vintage", age, "-o", "\(age).mom",
          in: folder)
        #expect(run.status == 0, "\(run.errors)")
        made.insert(try bytes("\(age).mom"))
        let model = try ModelArchive.decode(bytes("\(age).mom"))
        #expect((model.compilerStamp == nil) == (age != "13.4"))
        let diff = try Tool.run("diff", "13.4.mom", "\(age).mom", in: folder)
        if age == "13.4" { #expect(diff.status == 0) }
        _ = try Tool.run("convert", "\(age).mom", "copy.mom", "--force", in: folder)
        #expect(try bytes("copy.mom") == bytes("\(age).mom"), "\(age)")
      }
      #expect(made.count == 5)
      let old = try Tool.run(
        "compile", "Shop.xcdatamodeld/Shop.xcdatamodel", "--xcode", "9.4", "-o", "x.mom", in: folder
      )
      #expect(old.status == 0, "\(old.errors)")
      #expect(try bytes("x.mom") == bytes("9.mom"))
      for wrong in [
        ["--vintage", "7.5"], ["--xcode", "15.4", "--vintage", "9"], ["--xcode", "99"],
      ] {
        let run = try Tool.run(arguments: ["compile", "Shop.xcdatamodeld"] + wrong, in: folder)
        #expect(run.status == 64, "\(wrong)")
      }
    }
  }

  @Test func aMappingIsCompiledAndShown() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.makeSource(in: folder)
      let mapping = folder.appendingPathComponent("Map.xcmappingmodel")
      try FileManager.default.createDirectory(at: mapping, withIntermediateDirectories: true)
      try Data(
        """
        <?xml version="1.0" standalone="yes"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
        <database>
          <object type="XDDEVMAPPINGMODEL" id="z1">
            <attribute name="sourcemodelpath">Old/Shop.xcdatamodeld/Old.xcdatamodel</attribute>
            <attribute name="destinationmodelpath">Shop.xcdatamodeld/Shop.xcdatamodel</attribute>
            <relationship name="entitymappings" idrefs="z2"/>
          </object>
          <object type="XDDEVENTITYMAPPING" id="z2">
            <attribute name="sourcename">Customer</attribute>
            <attribute name="destinationname">Customer</attribute>
          </object>
        </database>
        """.utf8
      ).write(to: mapping.appendingPathComponent("xcmapping.xml"))
      let missing = try Tool.run("compile", "Map.xcmappingmodel", in: folder)
      #expect(missing.status == 1)
      #expect(
        missing.errors == """
          Map.xcmappingmodel/xcmapping.xml: error: the source model \
          Old/Shop.xcdatamodeld/Old.xcdatamodel is not there; name it with --source-model

          """)
      let compiled = try Tool.run(
        "compile", "Map.xcmappingmodel", "--source-model", "Shop.xcdatamodeld", in: folder)
      #expect(compiled.status == 0 && compiled.errors == "", "\(compiled.errors)")
      let shown = try Tool.run("dump", "Map.cdm", in: folder)
      #expect(shown.text == "CustomerToCustomer: Customer → Customer (copy)\n", "\(shown.text)")
      let json = try Tool.run("dump", "Map.cdm", "--format", "json", in: folder)
      #expect(json.text.contains("CustomerToCustomer"))
      #expect(try Tool.run("dump", "Map.cdm", "--format", "dot", in: folder).status == 64)
      let momc = try Tool.runMomc("Map.xcmappingmodel", "Out.cdm", in: folder)
      #expect(momc.status == 1)
      let wrong = try Tool.run(
        "compile", "Shop.xcdatamodeld", "--source-model", "x.mom", in: folder)
      #expect(wrong.status == 64)
    }
  }

  @Test func everythingWrongIsSaidAndNothingWritten() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.makeSource(in: folder, Self.broken)
      let run = try Tool.run("compile", "Shop.xcdatamodeld", in: folder)
      #expect(run.status == 1)
      #expect(
        run.errors == """
          Shop.xcdatamodeld/Shop.xcdatamodel/contents:1:25: error: [A.x] the attribute has no type \
          and isn't transient
          Shop.xcdatamodeld/Shop.xcdatamodel/contents:2:1: warning: [A.b] the relationship has no \
          inverse; without one Core Data can't keep the graph consistent
          Shop.xcdatamodeld/Shop.xcdatamodel/contents:2:52: warning: [A.b] the delete rule No \
          Action leaves references to deleted objects; choose another, or update the inverse \
          yourself

          """)
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/Shop.momd"))
    }
  }

  @Test func lintTakesRulesAndForms() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.makeSource(in: folder, Self.broken)
      let skipped = try Tool.run(
        "lint", "Shop.xcdatamodeld", "--skip", "undefined-type", "missing-inverse", in: folder)
      #expect(skipped.status == 0)
      #expect(skipped.text.contains("(no-action-delete-rule)"))
      let strict = try Tool.run(
        "lint", "Shop.xcdatamodeld", "--only", "missing-inverse", "--strict", "--format", "github",
        in: folder)
      #expect(strict.status == 1)
      #expect(
        strict.text == """
          ::warning file=Shop.xcdatamodeld/Shop.xcdatamodel/contents,line=2,col=1,\
          title=missing-inverse::[A.b] the relationship has no inverse; without one Core Data can't \
          keep the graph consistent

          """)
      let json = try Tool.run(
        "lint", "Shop.xcdatamodeld", "--only", "cloudkit-inverse", "--format", "json", in: folder)
      #expect(json.status == 1)
      let listing = try JSONSerialization.jsonObject(with: json.output) as? [String: Any]
      #expect(listing?["schemaVersion"] as? Int == 1)
      #expect(
        (listing?["findings"] as? [[String: Any]])?.first?["rule"] as? String == "cloudkit-inverse")
      #expect(try Tool.run("lint", "--list-rules").text.contains("transformer-insecure"))
      #expect(
        try Tool.run("lint", "Shop.xcdatamodeld", "--only", "nonsense", in: folder).status == 64)
    }
  }

  @Test func momcAnswersAsApplesDoes() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.makeSource(in: folder)
      let quiet = try Tool.runMomc(
        "--sdkroot", "/", "--iphoneos-deployment-target", "15.0", "--module", "App",
        "Shop.xcdatamodeld", "./", in: folder)
      #expect(quiet.status == 0 && quiet.errors == "" && quiet.text == "")
      #expect(FileManager.default.fileExists(atPath: folder.path + "/Shop.momd/Shop.mom"))
      let dry = try Tool.runMomc("--dry-run", "Shop.xcdatamodeld", "Other.momd", in: folder)
      #expect(
        dry.text == "Other.momd\nOther.momd/Shop.mom\nOther.momd/VersionInfo.plist\n")
      try Self.makeSource(in: folder, Self.broken)
      let failed = try Tool.runMomc(
        "--no-inverse-relationship-warnings", "--no-delete-rule-warnings", "Shop.xcdatamodeld",
        "Shop.momd", in: folder)
      #expect(failed.status == 1)
      #expect(
        failed.errors == """
          Shop.xcdatamodeld/Shop.xcdatamodel/contents:A.x: error: the attribute has no type and \
          isn't transient

          """)
      #expect(try Tool.runMomc("Shop.xcdatamodeld", in: folder).status == 64)
    }
  }
}
