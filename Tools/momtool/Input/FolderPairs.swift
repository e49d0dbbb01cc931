import Foundation

/// The files of two folders, paired by their paths: what git passes to a tool that compares folders, the new one with
/// links to the working tree.
struct FolderPairs {
  /// The paths of a file in both folders, or `/dev/null` where it isn't; as git passes those of a single file.
  let pairs: [(old: String, new: String)]

  /// - Returns: nil unless both are folders, and no models.
  init?(_ old: String, _ new: String) {
    guard let before = Self.files(in: old), let after = Self.files(in: new) else { return nil }
    pairs = Set(before.keys).union(after.keys).sorted().map { path in
      (old: before[path] ?? "/dev/null", new: after[path] ?? "/dev/null")
    }
  }

  /// The files in and below a folder by their relative paths, links followed.
  private static func files(in folder: String) -> [String: String]? {
    let root = URL(fileURLWithPath: folder)
    guard isFolder(folder), !["xcdatamodel", "xcdatamodeld", "momd"].contains(root.pathExtension),
      let walk = FileManager.default.enumerator(atPath: root.path)
    else { return nil }
    var files: [String: String] = [:]
    while let path = walk.nextObject() as? String {
      let file = root.appendingPathComponent(path).resolvingSymlinksInPath().path
      if FileManager.default.fileExists(atPath: file), !isFolder(file) { files[path] = file }
    }
    return files
  }

  private static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && isFolder.boolValue
  }
}
