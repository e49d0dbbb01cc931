import Foundation

/// The files of a package, as they are copied.
///
/// Links count as what they lead to: the copy stands elsewhere, and relative ones would lead nowhere.
struct OriginalFiles {
  /// Where they lie, from the package's folder, in order.
  private(set) var paths: [String] = []

  /// A folder that is yet to be looked into, and those that led to it.
  private struct Folder {
    var path: String
    var real: [String]
  }

  /// Looks through a folder and all within it.
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
          // A link to a folder around it would have no end.
          pending.append(Folder(path: path, real: folder.real + [real.path]))
        }
      }
    }
    paths.sort()
  }
}
