import Foundation

/// Files in place of the folders of external files, so that nothing can be written to or removed from these. Unlike a
/// folder without permissions this also stops root.
struct Obstacles {
  private var moved: [(folder: URL, aside: URL)] = []

  /// The number of folders that were replaced by a file.
  var count: Int { moved.count }

  /// Puts a file in place of every store's folder of external files, or where the folder would be if the store has none
  /// yet.
  init(in folder: URL) {
    let files = FileManager.default
    let stores = (try? files.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    for store in stores where store.pathExtension == "sqlite" {
      let stem = store.deletingPathExtension().lastPathComponent
      let support = folder.appendingPathComponent(".\(stem)_SUPPORT")
      let aside = folder.appendingPathComponent(".\(stem)_ASIDE")
      try? files.moveItem(at: support, to: aside)
      guard files.createFile(atPath: support.path, contents: nil) else { continue }
      moved.append((support, aside))
    }
  }

  /// Removes the files and restores the folders.
  func remove() {
    let files = FileManager.default
    for (folder, aside) in moved {
      try? files.removeItem(at: folder)
      try? files.moveItem(at: aside, to: folder)
    }
  }
}
