import Foundation
import PropertyLists

/// The files that damage is done to, in the order of their paths.
struct InputFiles {
  private static let suffixes: Set<String> = ["mom", "plist", "cdm", "omo", "archive", "xml"]
  private static let sizeLimit = 1 << 18

  let files: [[UInt8]]

  /// Reads files; of folders those whose names end as an archive's or a property list's do.
  init(_ paths: [String]) throws {
    var seen = Set<[UInt8]>()
    var files: [[UInt8]] = []
    for path in try paths.flatMap(Self.paths) {
      // Large files would take all the time and show nothing that small ones don't.
      guard let bytes = try? FileBytes.read(path, limit: Self.sizeLimit) else { continue }
      if seen.insert(bytes).inserted { files.append(bytes) }
    }
    self.files = files
  }

  private static func paths(_ path: String) throws -> [String] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: path])
    }
    guard isFolder.boolValue else { return [path] }
    return try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
      .filter { suffixes.contains(($0 as NSString).pathExtension) }
      .map { path + "/" + $0 }
  }
}
