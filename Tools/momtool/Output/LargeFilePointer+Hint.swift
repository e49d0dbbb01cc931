import Foundation
import PropertyLists

/// Tells of files whose contents Git LFS hasn't fetched. Those of sources are recognized where sources are parsed.
extension LargeFilePointer {
  /// What to tell besides an error about a file, or about a bundle with such a file; empty for other files.
  static func hint(_ path: String?) -> String {
    guard let path, isPointer(path) || files(in: path).contains(where: isPointer) else { return "" }
    return advice
  }

  private static func isPointer(_ path: String) -> Bool {
    var status = stat()
    // A pipe would have to be read.
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size < 1024
    else { return false }
    return (try? FileBytes.readPrefix(of: path, count: 512)).map(isPointer) ?? false
  }

  private static func files(in bundle: String) -> [String] {
    guard bundle.hasSuffix(".momd") || bundle.hasSuffix(".xcdatamodel") else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: bundle)) ?? []
    return names.map { "\(bundle)/\($0)" }
  }
}
