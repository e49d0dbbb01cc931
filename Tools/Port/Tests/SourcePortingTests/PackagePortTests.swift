import Foundation
import Testing

@testable import SourcePorting

/// A package in its own folder, and the location of its copy.
private struct Trial {
  let folder: URL
  let original: URL
  let copy: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "PackagePortTests-\(UUID().uuidString)")
    original = folder.appending(path: "Shop")
    copy = folder.appending(path: "elsewhere/Shop-linux")
    try write(
      """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(
        name: "Shop",
        dependencies: [.package(path: "../Prices")],
        targets: [
          .target(
            name: "Shop", dependencies: ["Prices"], path: "./Sources/", exclude: ["Draft.xcdatamodeld"],
            resources: [.process("Shop.xcdatamodeld")])
        ])
      """, to: "Package.swift")
    try write(
      "class Item: NSManagedObject { @NSManaged var name: String? }", to: "Sources/Item.swift")
    try write("let a = #keyPath(Item.name)", to: "Sources/Keys/Keys.swift")
    try write("import SwiftUI\n\nimport CloudKit", to: "Sources/View.swift")
    try write("<model/>", to: "Sources/Shop.xcdatamodeld/Shop.xcdatamodel/contents")
    try write("<model/>", to: "Sources/Draft.xcdatamodeld/Draft.xcdatamodel/contents")
    try write("text", to: "README.md")
    try write("#!/bin/sh", to: "run")
    let files = FileManager.default
    try files.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: original.appending(path: "run").path)
    try files.createSymbolicLink(
      atPath: original.appending(path: "Sources/Linked.swift").path,
      withDestinationPath: "../README.md")
    try files.createSymbolicLink(
      atPath: original.appending(path: "Sources/around").path, withDestinationPath: "..")
    try write("let b = 1", to: "../Prices/Sources/Prices/Prices.swift")
    try write(
      """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(
        name: "Prices", products: [.library(name: "Prices", targets: ["Prices"])],
        targets: [.target(name: "Prices")])
      """, to: "../Prices/Package.swift")
  }

  func write(_ text: String, to path: String) throws {
    let url = original.appending(path: path).standardizedFileURL
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  func port() throws -> PortReport {
    try PackagePort(source: original, destination: copy, momKit: "/momkit").run()
  }

  /// Returns the contents and modification date of each file, by path.
  func files(of folder: URL) throws -> [String: String] {
    var files: [String: String] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      let url = folder.appending(path: path)
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
      guard let date = attributes[.modificationDate] as? Date else { continue }
      let text = try? String(contentsOf: url, encoding: .utf8)
      files[path] = "\(date.timeIntervalSinceReferenceDate) \(text ?? "a folder")"
    }
    return files
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }
}

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
    let asking = ".package(name: \"MomKit\", path: \"/momkit\", traits: [\"Publishers\"])"
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

  @Test func `folders with other things in them are refused`() throws {
    let trial = try Trial()
    defer { trial.remove() }
    let inside = PackagePort(
      source: trial.original, destination: trial.original.appending(path: "copy"), momKit: "/momkit"
    )
    #expect(throws: PortError.self) { try inside.run() }
    try FileManager.default.createDirectory(at: trial.copy, withIntermediateDirectories: true)
    try Data().write(to: trial.copy.appending(path: "mine"))
    #expect(throws: PortError.self) { try trial.port() }
    try FileManager.default.removeItem(at: trial.copy)
    _ = try trial.port()
    let other = PackagePort(
      source: trial.folder.appending(path: "Prices"), destination: trial.copy, momKit: "/momkit")
    #expect(throws: PortError.self) { try other.run() }
  }
}
