import Foundation
import TestSupport
import Testing

/// Sources that a compiler would reject or only warn about can be read.
@Suite struct TolerantReadingTests {
  private static let types = [
    "Integer 16", "Integer 32", "Integer 64", "Decimal", "Double", "Float", "String", "Boolean",
    "Date", "Binary", "UUID", "URI", "Transformable", "ObjectID", "Undefined",
  ]
  private static let texts = [
    "YES", "NO", "abc", "", " ", "-", "1.5", "12abc", "99999999999999999999",
    "-99999999999999999999",
    "1e400", "NaN", "inf", "0x10", "true", "é", "not a url %", "123e4567-e89b", "1,5",
  ]

  /// An attribute of each type with an odd default, minimum and maximum.
  private static let oddDefaults = OrderSource.contents(
    types.enumerated().flatMap { type in
      texts.enumerated().map { text in
        "<attribute name=\"a\(type.offset)_\(text.offset)\" optional=\"YES\""
          + " attributeType=\"\(type.element)\" defaultValueString=\"\(text.element)\""
          + " minValueString=\"\(text.element)\" maxValueString=\"\(text.element)\""
          + " defaultDateTimeInterval=\"\(text.element)\"/>"
      }
    })

  private func write(_ contents: String, _ name: String, in folder: URL) throws {
    let model = folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    try Data(contents.utf8).write(to: model.appendingPathComponent("contents"))
  }

  @Test func oddValuesCompileAndAreReadByAll() throws {
    try Tool.withTemporaryFolder { folder in
      try write(Self.oddDefaults, "Odd.xcdatamodel", in: folder)
      try write(OrderSource.contents([]), "Plain.xcdatamodel", in: folder)
      let runs = [
        ["compile", "Odd.xcdatamodel", "--no-warnings"], ["dump", "Odd.xcdatamodel"],
        ["dump", "Odd.xcdatamodel", "--format", "json"], ["dump", "Odd.mom"],
        ["hashes", "Odd.xcdatamodel"], ["lint", "Odd.xcdatamodel"],
        ["diff", "--exit-zero", "Plain.xcdatamodel", "Odd.xcdatamodel"],
        ["migrate-check", "Plain.xcdatamodel", "Odd.xcdatamodel"],
        ["generate", "--all", "Odd.xcdatamodel", "-o", "classes"],
        ["textconv", "Odd.xcdatamodel/contents"],
        ["merge", "Odd.xcdatamodel", "-o", "Merged.xcdatamodel"],
      ]
      for arguments in runs {
        let run = try Tool.run(arguments: arguments, in: folder)
        #expect(run.status == 0, "\(arguments): \(run.errors)")
      }
      // If the output differs from the source, that is reported, except to git.
      for command in [["dump"], ["diff", "--exit-zero", "Plain.xcdatamodel"]] {
        let shown = try Tool.run(arguments: command + ["Odd.xcdatamodel"], in: folder)
        let lines = shown.errors.split(separator: "\n")
        #expect(lines.count == 4 && lines.allSatisfy { $0.contains(": warning: ") })
        #expect(
          shown.errors.contains("the default value 'YES' is not an integer; it counts as 0"),
          "\(shown.errors)")
        #expect(shown.errors.contains(" more of this kind; momtool lint lists all of them"))
      }
      let quiet = try Tool.run("textconv", "Odd.xcdatamodel/contents", in: folder)
      #expect(quiet.errors.isEmpty)
    }
  }

  /// A single default value that isn't a number used to disable every command on a bundle with 118 versions.
  @Test func integerDefaultsAreWhatCocoaReads() throws {
    try Tool.withTemporaryFolder { folder in
      let attributes = [("a", "YES"), ("b", "NO"), ("c", "12 apples"), ("d", "40000")].map {
        OrderSource.attribute($0.0, "Integer 16", more: " defaultValueString=\"\($0.1)\"")
      }
      try write(OrderSource.contents(attributes), "M.xcdatamodel", in: folder)
      let run = try Tool.run("compile", "M.xcdatamodel", in: folder)
      #expect(run.status == 0)
      #expect(
        run.errors.components(separatedBy: ": warning: ").dropFirst().map {
          $0.prefix { $0 != "\n" }
        } == [
          "[Order.a] the default value 'YES' is not an integer; it counts as 0",
          "[Order.b] the default value 'NO' is not an integer; it counts as 0",
          "[Order.c] the default value '12 apples' is not an integer; it counts as 12",
          "[Order.d] the default value 40000 is not between -32768 and 32767; it counts as 32767",
        ])
      let text = try Tool.run("dump", "M.mom", in: folder).text
      let defaults = text.split(separator: "\n").compactMap {
        $0.split(separator: " ").drop { $0 != "default" }.dropFirst().first
      }
      #expect(defaults == ["0", "0", "12", "32767"])
    }
  }

  /// What a compiler rejects is read with a warning, and is an error for commands that check models.
  @Test func readersReadWhatACompilerRefuses() throws {
    let contents = """
      <model>
        <entity name="A" representedClassName="A" parentEntity="Gone"><attribute name="x"/><attribute/>
          <attribute name="x" attributeType="Strange"/><attribute name="description" attributeType="String"/>
          <relationship name="r" destinationEntity="Nowhere"/><relationship name="s"/>
          <attribute name="d" attributeType="String" derived="YES" derivationExpression="((("/>
          <uniquenessConstraints><uniquenessConstraint><constraint value="y"/></uniquenessConstraint>
          <uniquenessConstraint/></uniquenessConstraints>
          <fetchIndex name="i"><fetchIndexElement/><fetchIndexElement property="y"/></fetchIndex>
          <fetchedProperty name="f"/></entity>
        <entity name="A"/><entity/>
        <fetchRequest name="q" entity="Gone" predicateString="x =="/><fetchRequest/>
        <composite name="C"><attribute name="c" attributeType="Composite" composite="C"/></composite>
      </model>
      """
    try Tool.withTemporaryFolder { folder in
      try write(contents, "Bad.xcdatamodel", in: folder)
      try write(OrderSource.contents([]), "Plain.xcdatamodel", in: folder)
      for judge in ["compile", "lint"] {
        #expect(try Tool.run(judge, "Bad.xcdatamodel", in: folder).status == 1)
      }
      let readers = [
        ["dump", "Bad.xcdatamodel"], ["dump", "Bad.xcdatamodel", "--format", "json"],
        ["dump", "Bad.xcdatamodel", "--format", "dot"], ["hashes", "Bad.xcdatamodel"],
        ["diff", "--exit-zero", "Plain.xcdatamodel", "Bad.xcdatamodel"],
        ["migrate-check", "Plain.xcdatamodel", "Bad.xcdatamodel"],
        ["generate", "--all", "Bad.xcdatamodel", "-o", "classes"],
        ["textconv", "Bad.xcdatamodel/contents"],
      ]
      for arguments in readers {
        let run = try Tool.run(arguments: arguments, in: folder)
        #expect(run.status == 0, "\(arguments): \(run.errors)")
        #expect(!run.errors.contains("error:"), "\(run.errors)")
        #expect(!run.text.isEmpty)
      }
      let dump = try Tool.run("dump", "Bad.xcdatamodel", in: folder)
      #expect(dump.errors.contains("warning: [A] the parent entity 'Gone' doesn't exist"))
      #expect(dump.errors.contains("more of this kind; momtool lint lists all of them"))
    }
  }

  /// A bundle in which one version can't be read at all.
  private func bundle(in folder: URL) throws -> TemporaryRepository {
    let repository = try TemporaryRepository()
    for (name, contents) in [
      ("V1", OrderSource.contents([OrderSource.attribute("a")])), ("V2", "<<<<<<< no model\n"),
      ("V3", OrderSource.contents([OrderSource.attribute("a"), OrderSource.attribute("b")])),
    ] {
      try repository.write(contents, to: "M.xcdatamodeld/\(name).xcdatamodel/contents")
    }
    try repository.write(OrderSource.pointer("V3"), to: "M.xcdatamodeld/.xccurrentversion")
    try repository.commit("released")
    return repository
  }

  @Test func oneUnreadableVersionStandsInNobodysWay() throws {
    try Tool.withTemporaryFolder { folder in
      let repository = try bundle(in: folder)
      for arguments in [
        ["dump", "M.xcdatamodeld"], ["dump", "M.xcdatamodeld@V1"],
        ["diff", "--exit-zero", "M.xcdatamodeld@V1", "M.xcdatamodeld"],
        ["diff", "--exit-zero", "git:HEAD:M.xcdatamodeld@V1", "git:HEAD:M.xcdatamodeld"],
        ["generate", "--all", "M.xcdatamodeld", "-o", "classes"],
        ["guard", "--against", "HEAD"], ["guard", "--against", "HEAD", "--strict"],
      ] {
        let run = try Tool.run(arguments: arguments, in: repository.folder)
        #expect(run.status == 0, "\(arguments): \(run.errors)")
        #expect(run.errors.isEmpty, "\(arguments): \(run.errors)")
      }
      for arguments in [
        ["diff", "--exit-zero", "M.xcdatamodeld"], ["migrate-check", "M.xcdatamodeld"],
      ] {
        let run = try Tool.run(arguments: arguments, in: repository.folder)
        #expect(run.status == 0, "\(arguments): \(run.errors)")
        #expect(run.errors.contains("V2.xcdatamodel/contents"))
        #expect(run.text.contains("V1"))
      }
      let asked = try Tool.run("dump", "M.xcdatamodeld@V2", in: repository.folder)
      #expect(asked.status == 2)
      let all = try Tool.run("dump", "M.xcdatamodeld", "--all-versions", in: repository.folder)
      #expect(all.status == 2)
      #expect(all.text.contains("V1") && all.text.contains("V3"))
      // An unreadable version must not be lost either.
      let converted = try Tool.run("convert", "M.xcdatamodeld", "N.momd", in: repository.folder)
      #expect(converted.status == 2)
    }
  }

  @Test func aBundleWithoutItsCurrentVersionIsRead() throws {
    try Tool.withTemporaryFolder { folder in
      let repository = try bundle(in: folder)
      try repository.write(OrderSource.pointer("V9"), to: "M.xcdatamodeld/.xccurrentversion")
      let named = try Tool.run("dump", "M.xcdatamodeld@V1", in: repository.folder)
      #expect(named.status == 0, "\(named.errors)")
      let current = try Tool.run("dump", "M.xcdatamodeld", in: repository.folder)
      #expect(current.status == 2)
      #expect(current.errors.contains("the current version 'V9' is not in the bundle"))
    }
  }

  @Test func guardFollowsABundleThatWasMoved() throws {
    try Tool.withTemporaryFolder { folder in
      let repository = try bundle(in: folder)
      try repository.git("mv", "M.xcdatamodeld", "N.xcdatamodeld")
      let moved = try Tool.run("guard", "--against", "HEAD", in: repository.folder)
      #expect(moved.status == 0, "\(moved.text)\(moved.errors)")
      #expect(moved.errors.contains("the bundle is now at N.xcdatamodeld"))
      try repository.write(
        OrderSource.contents([]), to: "N.xcdatamodeld/V1.xcdatamodel/contents")
      let changed = try Tool.run("guard", "--against", "HEAD", in: repository.folder)
      #expect(changed.status == 1)
      #expect(changed.text.contains("N.xcdatamodeld/V1.xcdatamodel/contents"))
    }
  }
}
