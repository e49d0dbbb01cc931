import Foundation
import MomKit
import TestSupport
import Testing

/// Merged bundles are written like converted and compiled ones.
@Suite struct MergeCommandTests {
  /// A source with a dozen versions, so that their order matters.
  private static func writeSource(into folder: URL) throws {
    for number in 1...12 {
      let version = folder.appendingPathComponent("Order.xcdatamodeld/V\(number).xcdatamodel")
      try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
      let attributes = (1...number).map { OrderSource.attribute("a\($0)") }
      try Data(OrderSource.contents(attributes).utf8)
        .write(to: version.appendingPathComponent("contents"))
    }
    try Data(OrderSource.pointer("V12").utf8)
      .write(to: folder.appendingPathComponent("Order.xcdatamodeld/.xccurrentversion"))
  }

  private static func merge(
    _ input: String, into output: String, in folder: URL
  ) throws -> Tool.Outcome {
    try Tool.run(
      "merge", "--base", input, "--ours", input, "--theirs", input, "-o", output, in: folder)
  }

  @Test(arguments: ["14.2", "15.4", "26.2"])
  func aMergedBundleIsWhatIsCompiledAndConverted(xcode: String) throws {
    try Tool.withTemporaryFolder { folder in
      try Self.writeSource(into: folder)
      for arguments in [
        ["compile", "Order.xcdatamodeld", "--xcode", xcode, "-o", "Compiled.momd"],
        ["convert", "Compiled.momd", "Converted.momd"],
      ] {
        let outcome = try Tool.run(arguments: arguments, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
      }
      let merged = try Self.merge("Compiled.momd", into: "Merged.momd", in: folder)
      #expect(merged.status == 0, "\(merged.errors)")
      let contents = try ["Compiled", "Converted", "Merged"].map {
        try TemporaryFolder.contents(of: folder.appendingPathComponent("\($0).momd"))
      }
      #expect(contents[0].count == 13)
      #expect(contents[1] == contents[0])
      #expect(contents[2] == contents[0])
    }
  }

  @Test func aMergedSourceIsCompiledLikeAConvertedOne() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.writeSource(into: folder)
      let converted = try Tool.run("convert", "Order.xcdatamodeld", "Converted.momd", in: folder)
      #expect(converted.status == 0, "\(converted.errors)")
      let merged = try Self.merge("Order.xcdatamodeld", into: "Merged.momd", in: folder)
      #expect(merged.status == 0, "\(merged.errors)")
      #expect(
        try TemporaryFolder.contents(of: folder.appendingPathComponent("Merged.momd"))
          == TemporaryFolder.contents(of: folder.appendingPathComponent("Converted.momd")))
    }
  }

  /// The same rule applies whenever folders are replaced: only files written by MomKit and Xcode are removed.
  @Test(arguments: ["momd", "xcdatamodeld"])
  func foldersAreReplacedByOneRule(suffix: String) throws {
    try Tool.withTemporaryFolder { folder in
      try Self.writeSource(into: folder)
      let output = "Out.\(suffix)"
      var commands = [
        ["convert", "Order.xcdatamodeld", output],
        [
          "merge", "--base", "Order.xcdatamodeld", "--ours", "Order.xcdatamodeld", "--theirs",
          "Order.xcdatamodeld", "-o", output,
        ],
      ]
      if suffix == "momd" { commands.append(["compile", "Order.xcdatamodeld", "-o", output]) }
      for command in commands {
        _ = try Tool.run(arguments: commands[0], in: folder)
        let place = folder.appendingPathComponent(output)
        for name in [".DS_Store", "conflicts.json"] {
          try Data().write(to: place.appendingPathComponent(name))
        }
        let replaced = try Tool.run(arguments: command, in: folder)
        #expect(replaced.status == 0, "\(command): \(replaced.errors)")
        let notes = place.appendingPathComponent("notes.txt")
        try Data("mine".utf8).write(to: notes)
        let refused = try Tool.run(arguments: command, in: folder)
        #expect(refused.status == 2)
        #expect(
          refused.errors.contains("the existing folder contains other files"),
          "\(command): \(refused.errors)")
        #expect(FileManager.default.fileExists(atPath: notes.path))
        try FileManager.default.removeItem(at: place)
      }
    }
  }

  /// A file with a model that has one entity.
  private static func write(
    entity: String, attribute: String, to name: String, in folder: URL
  ) throws {
    let text = NSAttributeDescription()
    text.name = attribute
    text.type = .string
    let description = NSEntityDescription()
    description.name = entity
    description.properties = [text]
    let model = NSManagedObjectModel(of: [description])
    try model.write(to: folder.appendingPathComponent(name))
  }

  /// Models without a common base are merged; two different entities with the same name are rejected, and nothing is
  /// written.
  @Test func modelsArePutTogether() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.write(entity: "Coffee", attribute: "brand", to: "Coffee.mom", in: folder)
      try Self.write(entity: "Roaster", attribute: "name", to: "Roaster.mom", in: folder)
      try Self.write(entity: "Coffee", attribute: "origin", to: "Other.mom", in: folder)
      let merged = try Tool.run("merge", "Coffee.mom", "Roaster.mom", "-o", "Both.mom", in: folder)
      #expect(merged.status == 0, "\(merged.errors)")
      let both = folder.appendingPathComponent("Both.mom").path
      let entities = try NSManagedObjectModel(loading: both).entities.compactMap(\.name)
      #expect(entities.sorted() == ["Coffee", "Roaster"])
      let refused = try Tool.run("merge", "Coffee.mom", "Other.mom", "-o", "No.mom", in: folder)
      #expect(refused.status != 0)
      let made = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(!made.contains("No.mom"))
    }
  }

  /// Writes the current version, and V1, which a compiler refuses.
  private static func write(
    _ current: String, _ attributes: [String], erroneous versions: [String], to folder: URL
  ) throws {
    let text = OrderSource.contents(
      [OrderSource.attribute("a", "Integer 64", more: " usesScalarValueType=\"YES\"")],
      more: """
            <!--kept-->
            <fetchRequest name="q" entity="Order" predicateString="x =="/>
            <elements>
                <element name="Order" positionX="1" positionY="2" width="128" height="44"/>
            </elements>

        """
    ).replacingOccurrences(of: "<entity ", with: "<entity codeGenerationType=\"class\" ")
    let pairs =
      versions.map { ($0, text) } + [(current, OrderSource.contents(attributes))]
    for (name, contents) in pairs {
      let version = folder.appendingPathComponent("\(name).xcdatamodel")
      try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
      try Data(contents.utf8).write(to: version.appendingPathComponent("contents"))
    }
    try Data(OrderSource.pointer(current).utf8)
      .write(to: folder.appendingPathComponent(".xccurrentversion"))
  }

  /// A version that a compiler refuses is read nevertheless, and then written as it was.
  @Test func versionsWithErrorsAreKept() throws {
    try Tool.withTemporaryFolder { folder in
      let (a, b) = (OrderSource.attribute("a"), OrderSource.attribute("b"))
      for (name, attributes, versions) in [
        ("Base", [a], ["V1"]), ("Ours", [a], ["V1"]), ("Theirs", [a, b], ["V1", "V3"]),
      ] {
        try Self.write(
          "V2", attributes, erroneous: versions,
          to: folder.appendingPathComponent("\(name).xcdatamodeld"))
      }
      let merged = try Tool.run(
        "merge", "--base", "Base.xcdatamodeld", "--ours", "Ours.xcdatamodeld", "--theirs",
        "Theirs.xcdatamodeld", "-o", "Out.xcdatamodeld", in: folder)
      #expect(merged.status == 0, "\(merged.errors)\(merged.text)")
      let (out, theirs) = try (
        TemporaryFolder.contents(of: folder.appendingPathComponent("Out.xcdatamodeld")),
        TemporaryFolder.contents(of: folder.appendingPathComponent("Theirs.xcdatamodeld"))
      )
      #expect(theirs.count == 4 && out.keys.sorted() == theirs.keys.sorted())
      for (path, contents) in theirs where path.hasSuffix("contents") {
        #expect(out[path] == contents, "\(path)")
      }
    }
  }

  /// One side removed a version, of which the other edited what only the source says.
  @Test func aRemovedVersionThatTheOtherSideEditedIsKept() throws {
    try Tool.withTemporaryFolder { folder in
      let a = [OrderSource.attribute("a")]
      for name in ["Base", "Ours", "Theirs"] {
        let bundle = folder.appendingPathComponent("\(name).xcdatamodeld")
        try Self.write("V2", a, erroneous: [], to: bundle)
        guard name != "Theirs" else { continue }
        let version = bundle.appendingPathComponent("V1.xcdatamodel")
        try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        let contents = OrderSource.contents(a, more: name == "Ours" ? "<!--new-->" : "")
        try Data(contents.utf8).write(to: version.appendingPathComponent("contents"))
      }
      let merged = try Tool.run(
        "merge", "--base", "Base.xcdatamodeld", "--ours", "Ours.xcdatamodeld", "--theirs",
        "Theirs.xcdatamodeld", "-o", "Out.xcdatamodeld", in: folder)
      #expect(merged.status == 1, "\(merged.errors)")
      #expect(merged.text.contains("theirs removed the version V1, ours changed it"))
    }
  }
}
