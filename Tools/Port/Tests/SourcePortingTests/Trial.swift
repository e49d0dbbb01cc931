import Foundation
import SourcePorting

/// A package in its own folder, and the location of its copy.
struct Trial {
  let folder: URL
  let original: URL
  let copy: URL
  /// A folder that takes MomKit's place.
  let momKit: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "PackagePortTests-\(UUID().uuidString)")
    original = folder.appending(path: "Shop")
    copy = folder.appending(path: "elsewhere/Shop-linux")
    momKit = folder.appending(path: "MomKit")
    try write("// swift-tools-version: 6.0", to: "../MomKit/Package.swift")
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
    try PackagePort(source: original, destination: copy, momKit: momKit.path).run()
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
