import Foundation

/// The targets of a package's manifest.
struct PackageManifest {
  /// A target with sources.
  struct Target {
    var name: String
    /// The target's folder, relative to the package's.
    var folder: String
    /// The paths excluded from the target, relative to its folder.
    var excluded: [String]
    /// The paths of its sources relative to its folder, or empty for everything in it.
    var sources: [String]
    var hasResources: Bool
  }

  var targets: [Target]

  /// Has the package manager evaluate a package's manifest. Build products are kept elsewhere, so the package isn't
  /// modified.
  ///
  /// - Throws: ``PortError`` if the package manager fails.
  init(of package: URL) throws {
    let files = FileManager.default
    let scratch = files.temporaryDirectory.appending(path: "momtool-port-\(UUID().uuidString)")
    defer { try? files.removeItem(at: scratch) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "swift", "package", "--package-path", package.path, "--scratch-path", scratch.path,
      "--ignore-lock", "dump-package",
    ]
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let message = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0,
      let manifest = try? JSONDecoder().decode(Dump.self, from: data)
    else {
      throw PortError(
        "\(package.path): the manifest can't be read: \(String(decoding: message, as: UTF8.self))")
    }
    targets = manifest.targets.compactMap { target in
      guard ["regular", "executable", "test"].contains(target.type) else { return nil }
      return Self.folder(of: target, in: package).map {
        Target(
          name: target.name, folder: $0, excluded: (target.exclude ?? []).map(Self.plain),
          sources: (target.sources ?? []).map(Self.plain),
          hasResources: !(target.resources ?? []).isEmpty)
      }
    }
  }

  /// Returns the target's folder: the one in the manifest, or else the default.
  private static func folder(of target: Dump.Target, in package: URL) -> String? {
    if let path = target.path { return plain(path) }
    let parents =
      target.type == "test"
      ? ["Tests", "Sources", "Source", "src", "srcs"] : ["Sources", "Source", "src", "srcs"]
    for folder in parents.map({ "\($0)/\(target.name)" }) + parents
    where FileManager.default.fileExists(atPath: package.appending(path: folder).path) {
      return folder
    }
    return nil
  }

  /// Returns a normalized path: `./Sources/` becomes `Sources`.
  private static func plain(_ path: String) -> String {
    let parts = path.split(separator: "/").filter { $0 != "." }
    return parts.isEmpty ? "." : parts.joined(separator: "/")
  }

  /// Returns the target that a file belongs to.
  func target(of path: String) -> Target? {
    targets.filter { $0.folder == "." || path.hasPrefix($0.folder + "/") }
      .max { $0.folder.count < $1.folder.count }
  }

  /// Whether the target of a file mentions the file itself, to include or exclude it.
  func names(_ path: String) -> Bool {
    guard let target = target(of: path) else { return false }
    let inside = path.dropFirst(target.folder == "." ? 0 : target.folder.count + 1)
    return (target.sources + target.excluded).contains { inside == $0 }
  }

  /// Whether the target of a file excludes it.
  func excludes(_ path: String) -> Bool {
    guard let target = target(of: path) else { return false }
    let inside = path.dropFirst(target.folder == "." ? 0 : target.folder.count + 1)
    return target.excluded.contains { inside == $0 || inside.hasPrefix($0 + "/") }
  }

  /// The package manager's output.
  private struct Dump: Decodable {
    struct Target: Decodable {
      var name: String
      var type: String
      var path: String?
      var exclude: [String]?
      var sources: [String]?
      var resources: [Resource]?
    }
    struct Resource: Decodable { var path: String }
    var targets: [Target]
  }
}

/// An error that prevents porting.
public struct PortError: Error, Sendable, CustomStringConvertible {
  /// A description of the error.
  public var description: String

  init(_ description: String) { self.description = description }
}
