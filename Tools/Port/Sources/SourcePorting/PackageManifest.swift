import Foundation

/// What a package's manifest says of its targets.
struct PackageManifest {
  /// A target whose sources are compiled.
  struct Target {
    var name: String
    /// Its folder, from the package's.
    var folder: String
    /// What of its folder it doesn't take, from there.
    var excluded: [String]
    /// What of its folder it takes alone, from there; empty for all.
    var sources: [String]
    var hasResources: Bool
  }

  var targets: [Target]

  /// Asks the package manager about a package. What it makes thereby is kept elsewhere: the package is only read.
  ///
  /// - Throws: ``PortError`` when it can't say.
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

  /// Where a target's sources are: where the manifest says, or where the package manager looks.
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

  /// A path without what says nothing: `./Sources/` is `Sources`.
  private static func plain(_ path: String) -> String {
    let parts = path.split(separator: "/").filter { $0 != "." }
    return parts.isEmpty ? "." : parts.joined(separator: "/")
  }

  /// The target that a file belongs to.
  func target(of path: String) -> Target? {
    targets.filter { $0.folder == "." || path.hasPrefix($0.folder + "/") }
      .max { $0.folder.count < $1.folder.count }
  }

  /// Whether the target of a file names the file itself, to take it or to leave it out.
  func names(_ path: String) -> Bool {
    guard let target = target(of: path) else { return false }
    let inside = path.dropFirst(target.folder == "." ? 0 : target.folder.count + 1)
    return (target.sources + target.excluded).contains { inside == $0 }
  }

  /// Whether the target of a file doesn't take it.
  func excludes(_ path: String) -> Bool {
    guard let target = target(of: path) else { return false }
    let inside = path.dropFirst(target.folder == "." ? 0 : target.folder.count + 1)
    return target.excluded.contains { inside == $0 || inside.hasPrefix($0 + "/") }
  }

  /// The package manager's answer.
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

/// What stops a port.
public struct PortError: Error, Sendable, CustomStringConvertible {
  /// What is wrong, for people.
  public var description: String

  init(_ description: String) { self.description = description }
}
