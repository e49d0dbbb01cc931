import Foundation
import ModelSource

/// Finds a bundle that was moved: among the bundles in and below the current folder, the one that has most of its
/// versions, compared byte by byte.
struct MovedBundle {
  /// The path of the bundle; nil when none has any of its versions.
  let path: String?

  /// Searches for a bundle.
  ///
  /// - Parameters:
  ///   - input: The bundle in its old state, as given to commands.
  ///   - others: The paths of bundles known to be different ones.
  ///   - folder: A folder to exclude from the search, if it exists.
  init(_ input: String, except others: Set<String>, outside folder: String) {
    guard let old = try? ModelInput(input), let package = old.package else {
      path = nil
      return
    }
    let contents = withExtendedLifetime(old) {
      Dictionary(
        package.versions.map { ($0.name, try? Data(contentsOf: $0.url)) },
        uniquingKeysWith: { first, _ in first })
    }
    let released = URL(fileURLWithPath: folder).standardizedFileURL.path + "/"
    let candidates = Self.bundles(below: ".").filter { path in
      !others.contains(path)
        && !URL(fileURLWithPath: path).standardizedFileURL.path.hasPrefix(released)
    }
    let counts = candidates.map { path in
      let versions =
        (try? ModelPackage(at: URL(fileURLWithPath: path), isTolerant: true))?.versions ?? []
      return versions.count { version in
        guard let before = contents[version.name], let bytes = before else { return false }
        return bytes == (try? Data(contentsOf: version.url))
      }
    }
    let best = zip(candidates, counts).max { $0.1 < $1.1 }
    path = best.flatMap { $0.1 > 0 ? $0.0 : nil }
  }

  /// The relative paths of the bundles in a folder and its subfolders.
  static func bundles(below folder: String) -> [String] {
    guard let walk = FileManager.default.enumerator(atPath: folder) else { return [] }
    var bundles: [String] = []
    while let path = walk.nextObject() as? String {
      if path == ".git" || path.hasSuffix("/.git") {
        walk.skipDescendants()
      } else if path.hasSuffix(".xcdatamodeld") {
        bundles.append(path)
        walk.skipDescendants()
      }
    }
    return bundles.sorted()
  }
}
