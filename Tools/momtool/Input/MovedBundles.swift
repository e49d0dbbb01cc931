import Foundation
import ModelSource

/// Finds bundles that were moved: among the bundles in and below the current folder, those that have most of their
/// versions, compared byte by byte. A bundle is found for one of them only: of two with the same versions, one is gone.
struct MovedBundles {
  /// The new path of each bundle that was found, by its old one.
  private(set) var places: [String: String] = [:]

  /// Searches for bundles.
  ///
  /// - Parameters:
  ///   - missing: The bundles' paths, and the inputs by which their old states are read.
  ///   - others: The paths of bundles known to be different ones.
  ///   - folder: A folder to exclude from the search, if it exists.
  init(
    _ missing: [(path: String, input: String)], except others: Set<String>, outside folder: String
  ) {
    let released = URL(fileURLWithPath: folder).standardizedFileURL.path + "/"
    // The folder for temporary files may be in the checkout, and has the released bundles.
    let own =
      FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path + "/momkit-\(getpid())-"
    let candidates = Self.bundles(below: ".").filter { path in
      let url = URL(fileURLWithPath: path)
      return !others.contains(path) && !url.standardizedFileURL.path.hasPrefix(released)
        && !url.resolvingSymlinksInPath().path.hasPrefix(own)
    }.map(Candidate.init)
    var pairs: [(count: Int, old: String, new: String)] = []
    for bundle in missing {
      let contents = Self.contents(of: bundle.input)
      for candidate in candidates {
        let count = candidate.versions.count { contents[$0.key] == $0.value }
        if count > 0 { pairs.append((count, bundle.path, candidate.path)) }
      }
    }
    pairs.sort { ($1.count, $0.old, $0.new) < ($0.count, $1.old, $1.new) }
    var taken = Set<String>()
    for pair in pairs where places[pair.old] == nil && taken.insert(pair.new).inserted {
      places[pair.old] = pair.new
    }
  }

  private struct Candidate {
    let path: String
    let versions: [String: Data]

    init(_ path: String) {
      self.path = path
      let package = try? ModelPackage(at: URL(fileURLWithPath: path), isTolerant: true)
      versions = MovedBundles.contents(of: package)
    }
  }

  private static func contents(of input: String) -> [String: Data] {
    guard let old = try? ModelInput(input) else { return [:] }
    return withExtendedLifetime(old) { contents(of: old.package) }
  }

  /// The contents of the versions that can be read, by name.
  private static func contents(of package: ModelPackage?) -> [String: Data] {
    Dictionary(
      (package?.versions ?? []).compactMap { version in
        (try? Data(contentsOf: version.url)).map { (version.name, $0) }
      }, uniquingKeysWith: { first, _ in first })
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
