import Foundation

/// The files of a package to copy.
///
/// Symbolic links are followed, because relative ones would be broken in the copy.
struct OriginalFiles {
  /// The paths relative to the package's folder, sorted.
  private(set) var paths: [String] = []

  /// A folder yet to be searched, and the folders that led to it.
  private struct Folder {
    var path: String
    var real: [String]
  }

  /// Lists a folder's files recursively.
  init(in root: URL, leavingOut names: Set<String>) throws {
    let files = FileManager.default
    var pending = [Folder(path: "", real: [root.resolvingSymlinksInPath().path])]
    while let folder = pending.popLast() {
      let url = folder.path.isEmpty ? root : root.appending(path: folder.path)
      for name in try files.contentsOfDirectory(atPath: url.path) where !names.contains(name) {
        let path = folder.path.isEmpty ? name : "\(folder.path)/\(name)"
        let real = url.appending(path: name).resolvingSymlinksInPath()
        let values = try? real.resourceValues(forKeys: [.isDirectoryKey, .isRegularFileKey])
        if values?.isRegularFile == true {
          paths.append(path)
        } else if values?.isDirectory == true, !folder.real.contains(real.path) {
          // A link to an enclosing folder would recurse forever.
          pending.append(Folder(path: path, real: folder.real + [real.path]))
        }
      }
    }
    paths.sort()
  }
}
