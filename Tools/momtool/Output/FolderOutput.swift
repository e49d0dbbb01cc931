import Foundation

/// Writes a folder of files whole, or not at all.
enum FolderOutput {
  /// Writes files by their paths in the folder.
  ///
  /// The new folder is made beside the old one and takes its place at the end.
  ///
  /// - Throws: ``Diagnostic`` that names the folder.
  static func write(_ files: [String: [UInt8]], to path: String) throws {
    let target = URL(fileURLWithPath: path).standardizedFileURL
    let parent = target.deletingLastPathComponent()
    let fresh = parent.appendingPathComponent(".momtool-\(UUID().uuidString)")
    let manager = FileManager.default
    do {
      for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
        let file = fresh.appendingPathComponent(name)
        try manager.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try InputFile.write(bytes, to: file.path)
      }
      try put(fresh, at: target)
    } catch {
      try? manager.removeItem(at: fresh)
      throw Diagnostic("can't write it: \(reason(error))", path: path)
    }
  }

  private static func put(_ fresh: URL, at target: URL) throws {
    let manager = FileManager.default
    guard manager.fileExists(atPath: target.path) else {
      try manager.moveItem(at: fresh, to: target)
      return
    }
    let old = target.deletingLastPathComponent()
      .appendingPathComponent(".momtool-old-\(UUID().uuidString)")
    try manager.moveItem(at: target, to: old)
    do {
      try manager.moveItem(at: fresh, to: target)
    } catch {
      try manager.moveItem(at: old, to: target)
      throw error
    }
    try? manager.removeItem(at: old)
  }

  private static func reason(_ error: any Error) -> String {
    if let diagnostic = error as? Diagnostic { return diagnostic.message }
    let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
    return (underlying ?? error as NSError).localizedDescription
  }
}
