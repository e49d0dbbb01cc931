import Foundation

/// A folder that goes with the object.
public final class TemporaryFolder {
  /// Where the folder is.
  public let url: URL

  /// Makes an empty folder.
  public init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("momkit-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// A file of the folder.
  public func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// Every file below, by its path relative to the folder, with its bytes.
  public func contents() throws -> [String: Data] { try Self.contents(of: url) }

  /// Every file below a folder, by its path relative to it, with its bytes.
  public static func contents(of folder: URL) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      contents[path] = FileManager.default.contents(
        atPath: folder.appendingPathComponent(path).path)
    }
    return contents
  }
}
