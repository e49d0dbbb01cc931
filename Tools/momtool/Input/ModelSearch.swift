import Foundation

/// Searches for a model if none is given.
enum ModelSearch {
  /// Folders to skip: those that contain copies or other people's files.
  private static let passedOver: Set<String> = [
    ".build", ".git", "Build", "Carthage", "DerivedData", "Pods", "node_modules",
  ]

  /// Returns the only model in a folder or its subfolders, preferring sources to compiled models.
  ///
  /// - Throws: ``Diagnostic`` if there is none, or more than one.
  static func onlyModel(in folder: String) throws -> String {
    let found = models(in: folder)
    guard let first = found.first else {
      throw Diagnostic(
        "there is no model in this folder: give a path, or change to a folder that has an .xcdatamodeld"
      )
    }
    guard found.count == 1 else {
      throw Diagnostic(
        "there are \(found.count) models here; choose one: \(found.prefix(8).joined(separator: ", "))"
          + (found.count > 8 ? ", …" : ""))
    }
    return first
  }

  /// Returns the models in a folder and its subfolders, sorted by path: sources or, if there are none, compiled
  /// models.
  static func models(in folder: String) -> [String] {
    var (sources, compiled): ([String], [String]) = ([], [])
    guard let walk = FileManager.default.enumerator(atPath: folder) else { return [] }
    while let path = walk.nextObject() as? String {
      let name = URL(fileURLWithPath: path).lastPathComponent
      if passedOver.contains(name) {
        walk.skipDescendants()
        continue
      }
      switch URL(fileURLWithPath: path).pathExtension {
      case _ where name.hasPrefix("."): break
      case "xcdatamodeld", "xcdatamodel":
        sources.append(path)
        walk.skipDescendants()
      case "momd":
        compiled.append(path)
        walk.skipDescendants()
      case "mom": compiled.append(path)
      default: break
      }
    }
    return (sources.isEmpty ? compiled : sources).sorted()
  }
}
