import DataModels
import Foundation
import ModelSource
import TestSupport
import Testing

/// `momc`, with every option of Apple's command line.
@Suite struct MomcTests {
  /// A reason for each of the warnings that can be suppressed, and a class in the module's namespace.
  private static let worthWarnings: String = {
    let many = (0..<101).map { "<attribute name=\"a\($0)\" attributeType=\"String\"/>" }
    return """
      <model>
      <entity name="A" representedClassName=".A">
      <relationship name="alone" optional="YES" maxCount="1" deletionRule="Nullify" \
      destinationEntity="B"/>
      <relationship name="rough" optional="YES" maxCount="1" deletionRule="No Action" \
      destinationEntity="B" inverseName="back" inverseEntity="B"/>
      </entity>
      <entity name="B" representedClassName="B">
      <relationship name="back" optional="YES" maxCount="1" deletionRule="Nullify" \
      destinationEntity="A" inverseName="rough" inverseEntity="A"/>
      \(many.joined(separator: "\n"))
      </entity>
      </model>
      """
  }()
  private static let warnings = [
    "--no-inverse-relationship-warnings":
      "A.alone: warning: the relationship has no inverse",
    "--no-delete-rule-warnings": "A.rough: warning: the delete rule No Action",
    "--no-max-property-count-warnings": "B: warning: the entity has 102 properties",
  ]

  private static func makeSource(in folder: URL, _ contents: String) throws {
    let version = folder.appendingPathComponent("M.xcdatamodel")
    try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
    try Data(contents.utf8).write(to: version.appendingPathComponent("contents"))
  }

  private static func model(_ name: String, in folder: URL) throws -> NSManagedObjectModel {
    try ModelArchive.decode([UInt8](Data(contentsOf: folder.appendingPathComponent(name))))
  }

  @Test func eachWarningCanBeLeftOut() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.makeSource(in: folder, Self.worthWarnings)
      let all = try Tool.runMomc("M.xcdatamodel", "M.mom", in: folder)
      #expect(all.status == 0 && all.text == "")
      for text in Self.warnings.values {
        #expect(all.errors.contains("M.xcdatamodel/contents:\(text)"), "\(all.errors)")
      }
      for (option, text) in Self.warnings {
        let run = try Tool.runMomc(option, "M.xcdatamodel", "M.mom", in: folder)
        #expect(run.status == 0)
        for other in Self.warnings.values {
          #expect(run.errors.contains(other) == (other != text), "\(option)")
        }
      }
      let quiet = try Tool.runMomc("--no-warnings", "M.xcdatamodel", "M.mom", in: folder)
      #expect(quiet.status == 0 && quiet.errors == "")
    }
  }

  @Test func errorsAreNoWarnings() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.makeSource(
        in: folder, "<model><entity name=\"A\"><attribute name=\"x\"/></entity></model>")
      let run = try Tool.runMomc("--no-warnings", "M.xcdatamodel", "M.mom", in: folder)
      #expect(run.status == 1)
      #expect(run.errors.hasPrefix("M.xcdatamodel/contents:A.x: error: "), "\(run.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/M.mom"))
    }
  }

  @Test func inversesOfWhichOneIsTransientCanBeAllowed() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.makeSource(
        in: folder,
        """
        <model><entity name="A">
        <relationship name="b" optional="YES" transient="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="A" inverseName="c" inverseEntity="A"/>
        <relationship name="c" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="A" inverseName="b" inverseEntity="A"/>
        </entity></model>
        """)
      let refused = try Tool.runMomc("M.xcdatamodel", "M.mom", in: folder)
      #expect(refused.status == 1 && refused.errors.contains("error: "), "\(refused.errors)")
      let allowed = try Tool.runMomc(
        "--suppress-inverse-transient-error", "M.xcdatamodel", "M.mom", in: folder)
      #expect(allowed.status == 0, "\(allowed.errors)")
      let relationships = try Self.model("M.mom", in: folder).entitiesByName["A"]?
        .relationshipsByName
      #expect(relationships?["b"]?.isTransient == true && relationships?["c"]?.isTransient == false)
    }
  }

  @Test func classesOfTheModuleGetItsName() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.makeSource(in: folder, Self.worthWarnings)
      for (options, name) in [([], ".A"), (["--module", "App"], "App.A")] {
        let run = try Tool.run(
          program: "momc", arguments: options + ["--no-warnings", "M.xcdatamodel", "M.mom"],
          in: folder)
        #expect(run.status == 0, "\(run.errors)")
        let entities = try Self.model("M.mom", in: folder).entitiesByName
        #expect(entities["A"]?.managedObjectClassName == name)
        #expect(entities["B"]?.managedObjectClassName == "B")
      }
    }
  }

  /// Options that only Apple's build system needs are accepted and don't affect the model.
  @Test func platformsAndToolchainsAreTaken() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.makeSource(in: folder, Self.worthWarnings)
      let plain = try Tool.runMomc("--no-warnings", "M.xcdatamodel", "Plain.mom", in: folder)
      #expect(plain.status == 0)
      let expected = try Data(contentsOf: folder.appendingPathComponent("Plain.mom"))
      let platforms = [
        "macosx", "iphoneos", "iphonesimulator", "appletvos", "appletvsimulator", "watchos",
        "watchsimulator", "xros", "xrsimulator", "driverkit",
      ]
      for options in platforms.map({ ["--\($0)-deployment-target", "17.0"] }) + [
        ["--sdkroot", "/no/such/sdk"], ["--swift-version", "6"], ["--print-diagnostic-categories"],
      ] {
        let run = try Tool.run(
          program: "momc", arguments: options + ["--no-warnings", "M.xcdatamodel", "Other.mom"],
          in: folder)
        #expect(run.status == 0 && run.errors == "" && run.text == "", "\(options): \(run.errors)")
        #expect(
          try Data(contentsOf: folder.appendingPathComponent("Other.mom")) == expected,
          "\(options)")
        try FileManager.default.removeItem(at: folder.appendingPathComponent("Other.mom"))
      }
    }
  }

  @Test func classesAreGenerated() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.makeSource(
        in: folder,
        """
        <model sourceLanguage="Swift"><entity name="Cat" representedClassName="Cat" \
        codeGenerationType="class"><attribute name="name" optional="YES" attributeType="String"/>\
        </entity></model>
        """)
      let arguments = [
        "--action", "generate", "--swift-version", "6", "M.xcdatamodel", "Generated",
      ]
      let names = ["Cat+CoreDataClass.swift", "Cat+CoreDataProperties.swift"]
      let listing = names.map { "Generated/\($0)" }
      let dry = try Tool.run(program: "momc", arguments: ["--dry-run"] + arguments, in: folder)
      #expect(dry.status == 0, "\(dry.errors)")
      #expect(dry.text.split(separator: "\n").map(String.init) == listing)
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/Generated"))
      let made = try Tool.run(program: "momc", arguments: arguments, in: folder)
      #expect(made.status == 0 && made.text == dry.text, "\(made.errors)")
      let written = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/Generated")
      #expect(written.sorted() == names)
      let properties = try String(
        contentsOf: folder.appendingPathComponent(listing[1]), encoding: .utf8)
      #expect(properties.contains("var name: String?"))
      let one = try Tool.run(
        program: "momc", arguments: ["--single-file", "All.swift"] + arguments, in: folder)
      #expect(one.status == 0 && one.text == "All.swift\n")
      let all = try String(contentsOf: folder.appendingPathComponent("All.swift"), encoding: .utf8)
      #expect(all.contains("class Cat") && all.contains("var name: String?"))
    }
  }

  /// A model without a current version compiles, so it builds if no version asks for a class.
  @Test func withoutACurrentVersionClassesMustNotBeAskedFor() throws {
    try Tool.withTemporaryFolder { folder in
      func write(_ entity: String, to version: String) throws {
        let version = folder.appendingPathComponent("M.xcdatamodeld/\(version).xcdatamodel")
        try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        try Data("<model>\(entity)</model>".utf8).write(
          to: version.appendingPathComponent("contents"))
      }
      try write("<entity name=\"A\" representedClassName=\"A\"/>", to: "M")
      try write("<entity name=\"A\"/>", to: "M 2")
      let arguments = [
        "--action", "generate", "--single-file", "All.swift", "M.xcdatamodeld", "Generated",
      ]
      let all = folder.appendingPathComponent("All.swift")
      let run = try Tool.run(program: "momc", arguments: arguments, in: folder)
      #expect(run.status == 0 && run.text == "All.swift\n" && run.errors == "", "\(run.errors)")
      #expect(try Data(contentsOf: all).isEmpty)
      for kind in ["class", "category"] {
        let asking = #"<entity name="A" representedClassName="A" codeGenerationType="\#(kind)"/>"#
        try write(asking, to: "M")
        try FileManager.default.removeItem(at: all)
        let refused = try Tool.run(program: "momc", arguments: arguments, in: folder)
        #expect(refused.status == 1 && refused.errors.contains("none is marked as current"))
        #expect(!FileManager.default.fileExists(atPath: all.path))
        try Data().write(to: all)
      }
    }
  }

  @Test func theOutputIsAFileOrAFolder() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.makeSource(in: folder, Self.worthWarnings)
      for (output, path) in [("X.mom", "X.mom"), ("new/", "new/M.mom"), (".", "M.mom")] {
        let dry = try Tool.runMomc(
          "--no-warnings", "--dry-run", "M.xcdatamodel", output, in: folder)
        #expect(dry.status == 0 && dry.text.hasSuffix("\(path)\n"), "\(output): \(dry.text)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/\(path)"))
        let run = try Tool.runMomc("--no-warnings", "M.xcdatamodel", output, in: folder)
        #expect(run.status == 0, "\(run.errors)")
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/\(path)"), "\(output)")
      }
    }
  }

  @Test(arguments: [
    (["--stamp", "none"], nil), (["--stamp", "150400:22758"], 150400),
    (["--stamp", "15.4"], 150400),
  ])
  func theStampCanBeChosen(options: [String], version: Int?) throws {
    try Tool.withTemporaryFolder { folder in
      try Self.makeSource(in: folder, Self.worthWarnings)
      let run = try Tool.run(
        program: "momc", arguments: options + ["--no-warnings", "M.xcdatamodel", "M.mom"],
        in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(try Self.model("M.mom", in: folder).compilerStamp?.xcodeVersion == version)
    }
  }

  @Test func whatIsNotKnownIsIgnoredOrRefused() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.makeSource(in: folder, Self.worthWarnings)
      let newer = try Tool.runMomc(
        "--no-warnings", "--some-new-option", "value", "M.xcdatamodel", "M.mom", in: folder)
      #expect(newer.status == 0)
      #expect(
        newer.errors
          == "momc: warning: unknown option --some-new-option is ignored\n")
      #expect(FileManager.default.fileExists(atPath: folder.path + "/M.mom"))
      for wrong in [
        ["--module"], ["--action", "destroy", "M.xcdatamodel", "M.mom"], ["M.xcdatamodel"], [],
        ["--stamp", "soon", "M.xcdatamodel", "M.mom"], ["a", "b", "c"],
      ] {
        let run = try Tool.run(program: "momc", arguments: wrong, in: folder)
        #expect(run.status == 64 && run.errors.contains("usage: momc"), "\(wrong)")
      }
      let absent = try Tool.runMomc("Absent.xcdatamodel", "X.mom", in: folder)
      #expect(absent.status == 1 && absent.errors.contains("error: "), "\(absent.errors)")
      let help = try Tool.runMomc("--help")
      #expect(help.status == 0 && help.text.hasPrefix("usage: momc"))
      #expect(try Tool.runMomc("--version").text.hasPrefix("momc"))
      // After two dashes, every argument is a path.
      let dashes = try Tool.runMomc("--no-warnings", "--", "M.xcdatamodel", "-.mom", in: folder)
      #expect(dashes.status == 0, "\(dashes.errors)")
      #expect(FileManager.default.fileExists(atPath: folder.path + "/-.mom"))
    }
  }
}
