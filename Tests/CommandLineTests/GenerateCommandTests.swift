import Foundation
import ModelSource
import TestSupport
import Testing

/// `momtool generate`, and whether its output compiles.
@Suite struct GenerateCommandTests {
  /// The classes of twenty real models, each type-checked against MomKit.
  ///
  /// Excludes models that use custom classes as values, because these classes aren't available.
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func realModelsClassesCompile() throws {
    var count = 0
    var names: Set<String> = []
    for file in Corpus.files(ofKind: "model-source") where file.path.hasSuffix("/contents") {
      let text = String(decoding: try Data(contentsOf: file.url), as: UTF8.self)
      let version = file.url.deletingLastPathComponent()
      guard count < 20, !text.contains("customClassName="),
        text.contains("representedClassName="), names.insert(version.lastPathComponent).inserted
      else { continue }
      count += 1
      let errors = try Tool.withTemporaryFolder { folder in
        let generated = try Tool.run("generate", version.path, "--all", "-o", folder.path)
        #expect(generated.status == 0, "\(file.path): \(generated.errors)")
        return try Self.typeCheck(generated.text.split(separator: "\n").map(String.init))
      }
      #expect(errors == "", "\(file.path)")
    }
    #expect(count == 20)
  }

  /// Xcode's name for the file with the class is that of the file that developers extend.
  @Test(arguments: ["swift", "objc"]) func classesWrittenByHandStay(language: String) throws {
    try Tool.withTemporaryFolder { folder in
      try Data(
        #"<model><entity name="A" representedClassName="A" codeGenerationType="class"/></model>"#
          .utf8
      ).write(to: folder.appendingPathComponent("contents"))
      let command = ["generate", "contents", "--language", language]
      let first = try Tool.run(arguments: command, in: folder)
      let names = first.text.split(separator: "\n").map(String.init)
      let edited = folder.appendingPathComponent(
        language == "objc" ? "A+CoreDataClass.m" : names[0])
      let own = Data("// my work\n".utf8)
      try own.write(to: edited)
      let again = try Tool.run(arguments: command, in: folder)
      #expect(again.status == 0)
      #expect(again.errors.contains("was left unchanged; use --force to overwrite it"))
      #expect(again.text.split(separator: "\n").count == names.count - 1)
      #expect(try Data(contentsOf: edited) == own)
      let forced = try Tool.run(arguments: command + ["--force"], in: folder)
      #expect(forced.text == first.text && forced.errors.isEmpty)
      #expect(try Data(contentsOf: edited) != own)
    }
  }

  /// A version or a revision of a source says which classes are asked for, as the source does.
  @Test func versionsAndRevisionsSayWhatIsAskedFor() throws {
    let repository = try TemporaryRepository()
    func model(_ name: String, more: String = "") -> String {
      #"<model><entity name="\#(name)" representedClassName="\#(name)" codeGenerationType="class"/>"#
        + #"<entity name="Own" representedClassName="Own"/>\#(more)</model>"#
    }
    try repository.write(model("A"), to: "M.xcdatamodeld/M.xcdatamodel/contents")
    // What a compiler refuses is a warning.
    try repository.write(
      model("B", more: #"<entity name="C"><attribute name="x"/></entity>"#),
      to: "M.xcdatamodeld/M 2.xcdatamodel/contents")
    try repository.write(
      ModelPackage.currentVersionFile(currentVersionName: "M 2"),
      to: "M.xcdatamodeld/\(ModelPackage.currentVersionFileName)")
    try repository.commit("first")
    for (input, name) in [
      ("M.xcdatamodeld@M", "A"), ("M.xcdatamodeld@M 2", "B"), ("git:HEAD:M.xcdatamodeld", "B"),
      ("git:HEAD:M.xcdatamodeld@M", "A"), ("M.xcdatamodeld/M", "A"),
    ] {
      let run = try Tool.run("generate", input, "--dry-run", in: repository.folder)
      #expect(run.status == 0, "\(input): \(run.errors)")
      #expect(
        run.text == "\(name)+CoreDataClass.swift\n\(name)+CoreDataProperties.swift\n",
        "\(input): \(run.text)")
      #expect(run.errors.contains("warning: [C.x]") == (name == "B"), "\(run.errors)")
      let all = try Tool.run("generate", input, "--dry-run", "--all", in: repository.folder)
      #expect(all.text == run.text + "Own+CoreDataClass.swift\nOwn+CoreDataProperties.swift\n")
      let objc = try Tool.run(
        "generate", input, "--dry-run", "--language", "objc", in: repository.folder)
      #expect(objc.text.hasSuffix("\nM+CoreDataModel.h\nM+CoreDataModel.m\n"), "\(objc.text)")
    }
    let none = try Tool.run("generate", "M.xcdatamodeld@X", "--dry-run", in: repository.folder)
    #expect(none.status == 2 && none.errors.contains("'M 2'"), "\(none.errors)")
  }

  @Test func onlyWhatIsAskedForIsGenerated() throws {
    try Tool.withTemporaryFolder { folder in
      let source = folder.appendingPathComponent("contents")
      try Data(
        """
        <model><entity name="A" representedClassName="A" codeGenerationType="class"/>
        <entity name="B" representedClassName=".B" codeGenerationType="category"/>
        <entity name="C" representedClassName="C"/><entity name="D" codeGenerationType="class"/>
        <entity name="E" representedClassName="E{}" codeGenerationType="class"/></model>
        """.utf8
      ).write(to: source)
      let swift = try Tool.run("generate", "contents", "--dry-run", in: folder)
      #expect(
        swift.text
          == "A+CoreDataClass.swift\nA+CoreDataProperties.swift\nB+CoreDataProperties.swift\n")
      #expect(
        swift.errors
          == "contents:4:18: warning: [E] 'E{}' is not a valid class name; no class is generated\n")
      let all = try Tool.run("generate", "contents", "--dry-run", "--all", in: folder)
      #expect(all.text.contains("C+CoreDataClass.swift") && !all.text.contains("D+"))
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(names == ["contents"])
    }
  }

  /// Headers declare the classes of transformable attributes, which only the developer's own headers define.
  @Test(arguments: [
    (kind: "class", file: "A+CoreDataClass.h"), ("category", "A+CoreDataProperties.h"),
  ])
  func customClassesAreDeclared(kind: String, file: String) throws {
    try Tool.withTemporaryFolder { folder in
      try Data(
        """
        <model><entity name="A" representedClassName="A" codeGenerationType="\(kind)">
        <attribute name="tint" attributeType="Transformable" customClassName="ShopColor"/>
        <attribute name="tags" attributeType="Transformable" customClassName="NSArray&lt;__kindof ShopTag *&gt;"/>
        <attribute name="kinds" attributeType="Transformable" customClassName="NSSet&lt;Class&gt;"/>
        <attribute name="blocks" attributeType="Transformable"
          customClassName="NSDictionary&lt;NSString *, ShopHandler&gt;"/>
        <attribute name="box" attributeType="Transformable" customClassName="ShopBox&lt;id&gt;"/>
        </entity></model>
        """.utf8
      ).write(to: folder.appendingPathComponent("contents"))
      _ = try Tool.run("generate", "contents", "--language", "objc", "-o", "objc", in: folder)
      let header = try String(
        contentsOf: folder.appendingPathComponent("objc/\(file)"), encoding: .utf8)
      #expect(header.contains("\n@class ShopColor, ShopTag;\n"))
    }
  }

  /// The types that Xcode declares, scalar and not, and code for them that compiles.
  @Test func scalarsHaveTheTypesOfXcode() throws {
    try Tool.withTemporaryFolder { folder in
      let types = [
        "Integer 16", "Integer 32", "Integer 64", "Double", "Float", "Boolean", "Date", "String",
        "Decimal", "UUID", "URI", "Binary", "Transformable", "ObjectID",
      ]
      let attributes = types.enumerated().flatMap { number, type in
        ["YES", "NO"].map { scalar in
          #"<attribute name="\#(scalar.lowercased())\#(number)" attributeType="\#(type)" "#
            + #"usesScalarValueType="\#(scalar)"/>"#
        }
      }
      try Data(
        """
        <model><entity name="A" representedClassName="A" codeGenerationType="class">
        \(attributes.joined())</entity></model>
        """.utf8
      ).write(to: folder.appendingPathComponent("contents"))
      let swift = try Tool.run("generate", "contents", "-o", "swift", in: folder)
      let files = swift.text.split(separator: "\n").map {
        folder.appendingPathComponent(String($0)).path
      }
      let text = try String(contentsOfFile: files[1], encoding: .utf8)
      let declared = text.split(separator: "\n").filter { $0.contains("@NSManaged") }.map {
        $0.drop { $0 != "v" }
      }
      let scalars = ["Int16", "Int32", "Int64", "Double", "Float", "Bool", "TimeInterval"]
      let objects =
        Array(repeating: "NSNumber?", count: 6) + [
          "Date?", "String?", "NSDecimalNumber?", "UUID?", "URL?", "Data?", "NSObject?",
          "NSManagedObjectID?",
        ]
      for number in types.indices {
        let scalar = number < scalars.count ? scalars[number] : objects[number]
        #expect(declared.contains("var yes\(number): \(scalar)"), "\(types[number])")
        #expect(declared.contains("var no\(number): \(objects[number])"), "\(types[number])")
      }
      // Otherwise a key path would find no property that the accessor reads as it is.
      #expect(text.contains(#"return managed("yes6")"#))
      #expect(try Self.typeCheck(files) == "")
      _ = try Tool.run("generate", "contents", "--language", "objc", "-o", "objc", in: folder)
      let header = try String(
        contentsOf: folder.appendingPathComponent("objc/A+CoreDataProperties.h"), encoding: .utf8)
      for line in [
        "@property (nonatomic) NSTimeInterval yes6;",
        "@property (nullable, nonatomic, copy) NSDate *no6;", "@property (nonatomic) int16_t yes0;",
        "@property (nullable, nonatomic, copy) NSUUID *yes9;",
        "@property (nullable, nonatomic, retain) NSObject *yes12;",
      ] {
        #expect(header.contains(line), "\(line)")
      }
    }
  }

  /// Returns the compiler's output for files that import MomKit.
  static func typeCheck(_ files: [String]) throws -> String {
    let modules = Tool.url.deletingLastPathComponent().appendingPathComponent("Modules").path
    let sources = Corpus.packageRoot.appendingPathComponent("Sources").path
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      [
        "swiftc", "-typecheck", "-wmo", "-swift-version", "6", "-I", modules,
        "-Xcc", "-fmodule-map-file=\(sources)/CSQLite/module.modulemap",
        "-Xcc", "-fmodule-map-file=\(sources)/CZlib/module.modulemap",
      ] + files
    // A file instead of a pipe: reading a pipe traps in Foundation if a signal interrupts it.
    return try Tool.withTemporaryFolder { folder in
      let output = folder.appendingPathComponent("errors")
      try Data().write(to: output)
      process.standardError = try FileHandle(forWritingTo: output)
      try process.run()
      process.waitUntilExit()
      return try String(contentsOf: output, encoding: .utf8)
    }
  }
}
