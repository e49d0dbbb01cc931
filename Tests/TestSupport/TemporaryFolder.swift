import Foundation

/// A temporary folder that is deleted with the object.
public final class TemporaryFolder {
  /// The folder's location.
  public let url: URL

  /// Creates an empty folder.
  public init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("momkit-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The URL of a file in the folder.
  public func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// The contents of all files in the folder, by relative path.
  public func contents() throws -> [String: Data] { try Self.contents(of: url) }

  /// The contents of all files in a folder, by relative path.
  public static func contents(of folder: URL) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      contents[path] = FileManager.default.contents(
        atPath: folder.appendingPathComponent(path).path)
    }
    return contents
  }
}
