import DataModels
import Foundation
import PropertyLists

/// Folders of external files that several stores have: `Library.sqlite`, a copy `Library.backup`, and a `Library.store` to
/// which it was moved all have `.Library_SUPPORT`.
extension ExternalData {
  /// The number of stores beside a folder of external files whose names lead to it.
  ///
  /// Any SQLite file counts that isn't empty: what another program keeps there may be a copy of the store.
  ///
  /// - Parameter excluded: a store that doesn't count.
  static func storeCount(at folder: URL, besides excluded: URL? = nil) -> Int {
    let support = folder.standardizedFileURL.deletingLastPathComponent()
    let place = support.deletingLastPathComponent()
    let name = support.lastPathComponent
    guard name.hasPrefix("."), name.hasSuffix("_SUPPORT"),
      let names = try? FileManager.default.contentsOfDirectory(atPath: place.path)
    else { return 0 }
    let stem = name.dropFirst().dropLast("_SUPPORT".count)
    return names.count { name in
      let file = place.appendingPathComponent(name)
      return file.deletingPathExtension().lastPathComponent == stem
        && name != excluded?.lastPathComponent
        && !["-wal", "-shm", "-journal"].contains(where: name.hasSuffix) && isDatabase(file)
    }
  }

  /// Puts a file of another folder into this one, whole or not at all: once it has its name, it is taken for the value. An
  /// earlier attempt may have left it there, in whole or in part; stores with one folder have it already.
  ///
  /// - Parameter links: whether the folders may share the file, which nobody changes once it is written.
  func take(_ name: String, of other: ExternalData, links: Bool = false) throws {
    let files = FileManager.default
    func size(_ file: URL) -> Int? {
      (try? files.attributesOfItem(atPath: file.path))?[.size] as? Int
    }
    let (source, place) = (
      other.folder.appendingPathComponent(name), folder.appendingPathComponent(name)
    )
    let present = size(place)
    if let present, present == size(source) { return }
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    let draft = folder.appendingPathComponent(".\(name).copy")
    try? files.removeItem(at: draft)
    do {
      let isLinked = links && (try? files.linkItem(at: source, to: draft)) != nil
      if !isLinked { try files.copyItem(at: source, to: draft) }
      if present != nil { try files.removeItem(at: place) }
      try files.moveItem(at: draft, to: place)
    } catch {
      try? files.removeItem(at: draft)
      throw error
    }
  }

  private static func isDatabase(_ file: URL) -> Bool {
    guard case .file = StoreLocation(file) else { return false }
    // Closing another descriptor of an open store would release its locks.
    if OpenStoreFiles.shared.isOpen(file.path) { return true }
    let header = Array("SQLite format 3\0".utf8)
    return (try? FileBytes.readPrefix(of: file.path, count: header.count)) == header
  }
}
