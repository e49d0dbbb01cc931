import DataModels
import Foundation
import ManagedObjects
import PropertyLists

/// Finds the stores denoted by an argument: the file itself, or all stores inside a folder, recognized by their
/// contents rather than their names.
enum StoreFolder {
  /// The number of files examined before a folder is considered too large.
  private static let mostFiles = 1_000_000

  /// Whether a path is that of a folder.
  static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && isFolder.boolValue
  }

  /// Returns the paths of the stores, sorted. Symbolic links aren't followed.
  ///
  /// - Throws: ``Diagnostic`` when the folder contains no store.
  static func stores(at path: String) throws -> [String] {
    guard isFolder(path) else { return [path] }
    let found = try storesIfAny(in: path)
    guard !found.isEmpty else { throw Diagnostic("the folder contains no store", path: path) }
    return found
  }

  /// Returns the paths of the stores in a folder and its subfolders, sorted; empty if there are none.
  static func storesIfAny(in folder: String) throws -> [String] {
    let base = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    var found: [String] = []
    var count = 0
    guard let walk = FileManager.default.enumerator(atPath: folder) else { return [] }
    while let name = walk.nextObject() as? String {
      count += 1
      guard count <= mostFiles else {
        throw Diagnostic("the folder is too large to search; give the stores", path: folder)
      }
      let isFile = walk.fileAttributes?[.type] as? FileAttributeType == .typeRegular
      let path = "\(base)/\(name)"
      if isFile, isStore(path) { found.append(path) }
    }
    return found.sorted()
  }

  /// Whether a file is a store, or a SQLite file that may be one.
  private static func isStore(_ path: String) -> Bool {
    guard let start = try? FileBytes.readPrefix(of: path, count: 16),
      ModelFile.kind(ofBytes: start) == .store
    else { return false }
    do throws(ModelFileError) {
      _ = try StoreFile(at: path)
      return true
    } catch {
      return error.code != .noModel
    }
  }
}
