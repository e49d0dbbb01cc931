import Foundation
import ModelSource

/// Finds bundles that were moved: among the bundles in and below a folder, those that have most of their versions,
/// compared byte by byte. A bundle is found for one of them only: of two with the same versions, one is gone.
struct MovedBundles {
  /// The new path of each bundle that was found, by its old one.
  let places: [String: String]

  /// Searches for bundles.
  ///
  /// - Parameters:
  ///   - missing: The bundles' paths, and the inputs by which their old states are read.
  ///   - root: The folder to search. All paths are relative to it.
  ///   - others: The paths of bundles known to be different ones.
  ///   - named: The paths of bundles that the user names for missing ones. These come first, and a version with the
  ///     name of a missing one's and half of its entities is enough: it may have been changed after the move.
  ///   - folder: A folder to exclude from the search, if it exists.
  init(
    _ missing: [(path: String, input: String)], below root: String, except others: Set<String>,
    named: Set<String>, outside folder: String
  ) {
    let released = URL(fileURLWithPath: folder).standardizedFileURL.path + "/"
    // The folder for temporary files may be in the checkout, and has the released bundles.
    let own =
      FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path + "/momkit-\(getpid())-"
    let top = URL(fileURLWithPath: root)
    let candidates = Self.bundles(below: root).map {
      (path: $0, url: top.appendingPathComponent($0))
    }.filter { path, url in
      !others.contains(path) && !url.standardizedFileURL.path.hasPrefix(released)
        && !url.resolvingSymlinksInPath().path.hasPrefix(own)
    }.map { Candidate($0.path, at: $0.url) }
    let lost = missing.map { (path: $0.path, versions: Self.contents(of: $0.input)) }
    var found: [String: String] = [:]
    var taken: Set<String> = []
    func pair(_ candidates: [Candidate], by fits: (Data, Data) -> Bool) {
      var pairs: [(count: Int, old: String, new: String)] = []
      for bundle in lost where found[bundle.path] == nil {
        for candidate in candidates where !taken.contains(candidate.path) {
          let count = candidate.versions.count { name, contents in
            bundle.versions[name].map { fits($0, contents) } ?? false
          }
          if count > 0 { pairs.append((count, bundle.path, candidate.path)) }
        }
      }
      pairs.sort { ($1.count, $0.old, $0.new) < ($0.count, $1.old, $1.new) }
      for pair in pairs where found[pair.old] == nil && taken.insert(pair.new).inserted {
        found[pair.old] = pair.new
      }
    }
    let preferred = candidates.filter { named.contains($0.path) }
    pair(preferred) { $0 == $1 }
    pair(preferred, by: Self.areAlike)
    pair(candidates) { $0 == $1 }
    places = found
  }

  /// Whether a source has at least half of another's entities.
  private static func areAlike(_ old: Data, _ new: Data) -> Bool {
    let (before, after) = (entities(in: old), entities(in: new))
    return !before.isEmpty && before.intersection(after).count * 2 >= before.count
  }

  private static func entities(in source: Data) -> Set<String> {
    guard let document = try? SourceDocument(data: source, path: "") else { return [] }
    return Set(document.root.children(named: "entity").compactMap { $0["name"] })
  }

  private struct Candidate {
    let path: String
    let versions: [String: Data]

    init(_ path: String, at url: URL) {
      self.path = path
      let package = try? ModelPackage(at: url, isTolerant: true)
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
