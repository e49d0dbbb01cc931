import Foundation

/// Files in the places of the folders of external files, so that nothing can be written into these nor
/// removed from them. Unlike a folder without permission they stop root, too.
struct Obstacles {
  private var moved: [(folder: URL, aside: URL)] = []

  /// How many folders have something in their place.
  var count: Int { moved.count }

  /// Puts a file in the place of every store's folder of external files; where a store has none yet, in
  /// the place it would have.
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

  /// Clears the way again.
  func remove() {
    let files = FileManager.default
    for (folder, aside) in moved {
      try? files.removeItem(at: folder)
      try? files.moveItem(at: aside, to: folder)
    }
  }
}
