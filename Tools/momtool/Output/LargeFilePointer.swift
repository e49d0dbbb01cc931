import Foundation
import PropertyLists

/// Recognizes what Git LFS leaves in the place of a file that it hasn't fetched: a text of three lines.
enum LargeFilePointer {
  private static let start = Array("version https://git-lfs.github.com/spec/".utf8)

  /// What to tell besides an error about a file, or about a bundle with such a file; empty for other files.
  static func hint(_ path: String?) -> String {
    guard let path, isPointer(path) || files(in: path).contains(where: isPointer) else { return "" }
    return "; Git LFS keeps its contents: git lfs pull fetches them"
  }

  private static func isPointer(_ path: String) -> Bool {
    var status = stat()
    // A pipe would have to be read.
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size < 1024
    else { return false }
    return (try? FileBytes.readPrefix(of: path, count: start.count)) == start
  }

  private static func files(in bundle: String) -> [String] {
    guard bundle.hasSuffix(".momd") || bundle.hasSuffix(".xcdatamodel") else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: bundle)) ?? []
    return names.map { "\(bundle)/\($0)" }
  }
}
