import Foundation
import Testing

@testable import SourcePorting

@Suite struct PackagePortTests {
  @Test func `porting again writes what changed alone, and removes what is gone`() throws {
    let trial = try Trial()
    defer { trial.remove() }
    let untouched = try trial.files(of: trial.original)
    let first = try trial.port()
    #expect(first.fileCount == 4)
    let made = try trial.files(of: trial.copy)
    #expect(first.writtenCount == 8)
    #expect(try trial.port().writtenCount == 0)
    #expect(try trial.files(of: trial.copy) == made)
    #expect(try trial.files(of: trial.original) == untouched)

    try trial.write(
      "class Item: NSManagedObject { @NSManaged var number: Int }", to: "Sources/Item.swift")
    try FileManager.default.removeItem(at: trial.original.appending(path: "Sources/Keys"))
    #expect(try trial.port().writtenCount == 1)
    let now = try trial.files(of: trial.copy)
    #expect(now["Sources/Keys"] == nil)
    let differing = now.filter { !$0.value.hasSuffix("a folder") && made[$0.key] != $0.value }
    #expect(Set(differing.keys) == [".momtool-port.json", "Sources/Item.ported.swift"])
  }

  @Test func `a copy has what links lead to, what can be run, and no model that is left out`()
    throws
  {
    let trial = try Trial()
    defer { trial.remove() }
    _ = try trial.port()
    let files = try trial.files(of: trial.copy)
    #expect(files["Sources/Linked.ported.swift"]?.hasSuffix("line: 1)\ntext") == true)
    #expect(files["Sources/around"] == nil)
    #expect(FileManager.default.isExecutableFile(atPath: trial.copy.appending(path: "run").path))
    #expect(files["Sources/Shop.xcdatamodeld/Shop.xcdatamodel/contents"] != nil)
    #expect(files["Sources/Draft.xcdatamodeld/Draft.xcdatamodel/contents"] == nil)
    let manifest = try #require(files["Package.swift"])
    #expect(manifest.contains(".package(path: \"\(trial.folder.path)/Prices\")"))
    #expect(manifest.contains("where [\"Shop\"].contains(target.name)"))
  }

  @Test func `the report names file and line of what is left`() throws {
    let trial = try Trial()
    defer { trial.remove() }
    let report = try trial.port()
    let lines = report.text.split(separator: "\n")
    #expect(
      lines.contains {
        $0.hasPrefix("Sources/View.swift:1: SwiftUI is only available on Apple's platforms: ")
      })
    #expect(
      lines.contains {
        $0.hasPrefix("Sources/View.swift:3: CloudKit is only available on Apple's platforms: ")
      }
    )
    #expect(lines.contains("rewritten  @NSManaged properties: 1"))
    let decoded = try JSONDecoder().decode(PortReport.self, from: report.json())
    #expect(decoded.left == report.left)
  }

  @Test func `what a manifest has of MomKit isn't added again`() throws {
    let trial = try Trial()
    defer { trial.remove() }
    let manifest = """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(
        name: "Shop", dependencies: [.package(url: "https://example.org/MomKit", from: "1.0.0")],
        targets: [.target(name: "Shop", path: "Sources")])
      """
    try trial.write(manifest, to: "Package.swift")
    _ = try trial.port()
    let copy = try String(contentsOf: trial.copy.appending(path: "Package.swift"), encoding: .utf8)
    #expect(!copy.contains("dependencies.append(.package"))
    try trial.write(manifest + "// \"PortPlugin\"", to: "Package.swift")
    #expect(throws: PortError.self) { try trial.port() }
  }

  @Test func `sources that a manifest names keep their names`() throws {
    let trial = try Trial()
    defer { trial.remove() }
    let manifest = """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(
        name: "Shop",
        targets: [
          .target(
            name: "Shop", path: "Sources", exclude: ["View.swift"],
            sources: ["Keys"] + ["Item"].map { "\\($0).swift" })
        ])
      """
    try trial.write(manifest, to: "Package.swift")
    _ = try trial.port()
    let files = try trial.files(of: trial.copy)
    #expect(files["Sources/Item.swift"] != nil)
    #expect(files["Sources/View.swift"] != nil)
    #expect(files["Sources/Keys/Keys.ported.swift"] != nil)
  }

  @Test(arguments: [("6.0", false), ("6.1", true), ("6.2", true), ("5.9", false)])
  func `who uses Combine gets publishers where its manifest can ask for them`(
    version: String, publishes: Bool
  ) throws {
    let trial = try Trial()
    defer { trial.remove() }
    let manifest = """
      // swift-tools-version: \(version)
      import PackageDescription
      let package = Package(name: "Shop", targets: [.target(name: "Shop", path: "Sources")])
      """
    try trial.write(manifest, to: "Package.swift")
    func copy() throws -> String {
      _ = try trial.port()
      return try String(contentsOf: trial.copy.appending(path: "Package.swift"), encoding: .utf8)
    }
    #expect(try !copy().contains("traits:"))
    try trial.write("import Combine\nimport CoreData", to: "Sources/Model.swift")
    let asking =
      ".package(name: \"MomKit\", path: \"\(trial.momKit.path)\", traits: [\"Publishers\"])"
    #expect(try copy().contains(asking) == publishes)
    for product in ["OpenCombine", "OpenCombineDispatch", "OpenCombineFoundation"] {
      #expect(try copy().contains(".product(name: \"\(product)\", package: \"OpenCombine\")"))
    }
    // Who needs them gets a manifest that can.
    for use in [
      "item.objectWillChange", "item.publisher(for: \\.name)", "item.publisher(for: path)",
    ] {
      try trial.write("import Combine\nimport CoreData\nlet p = \(use)", to: "Sources/Model.swift")
      let text = try copy()
      #expect(text.contains(asking))
      #expect(text.hasPrefix("// swift-tools-version: \(version)") == publishes)
      let keepsMode = text.contains(
        "package.swiftLanguageModes = package.swiftLanguageModes ?? [.v5]")
      #expect(keepsMode == (version == "5.9"))
    }
    try trial.write(
      "import Combine\nlet p = NotificationCenter.default.publisher(for: .saved)",
      to: "Sources/Model.swift")
    #expect(try copy().contains(asking) == publishes)
  }
}
