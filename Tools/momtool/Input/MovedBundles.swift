import DataModels
import Foundation
import ModelSource

/// Finds bundles that were moved: among those that there are, the ones that have most of their versions, compared byte
/// by byte. A bundle is found for one of them only: of two with the same versions, one is gone.
struct MovedBundles {
  /// The new path of each bundle that was found, by its old one.
  let places: [String: String]

  /// Searches for bundles.
  ///
  /// - Parameters:
  ///   - missing: The bundles' paths, and the inputs by which their old states are read.
  ///   - place: Where to search. All paths are relative to its root.
  ///   - isStaged: Whether to search what is staged for the next commit instead of the working tree.
  ///   - others: The paths of bundles known to be different ones.
  ///   - named: The paths of bundles that the user names for missing ones. These come first, and a version with the
  ///     name of a missing one's and most of its entities is enough: it may have been changed after the move.
  ///   - folder: A folder to exclude from the search, if it exists.
  /// - Throws: `GitError` when git doesn't say which files there are.
  init(
    _ missing: [(path: String, input: String)], in place: GuardedPlace, isStaged: Bool,
    except others: Set<String>, named: Set<String>, outside folder: String
  ) throws {
    let released = URL(fileURLWithPath: folder).standardizedFileURL.path + "/"
    // The folder for temporary files may be in the checkout, and has the released bundles.
    let own =
      FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path + "/momkit-\(getpid())-"
    let top = URL(fileURLWithPath: place.root)
    let there =
      try place.repository.map { Self.bundles(among: try $0.paths(isStaged: isStaged)) }
      ?? Set(Self.bundles(below: place.root))
    let candidates = there.union(named).sorted().map {
      (path: $0, url: top.appendingPathComponent($0))
    }.filter { path, url in
      !others.contains(path) && !url.standardizedFileURL.path.hasPrefix(released)
        && !url.resolvingSymlinksInPath().path.hasPrefix(own)
    }.map { path, url in
      VersionedBundle(path, isStaged ? Self.contents(of: "git::\(path)") : Self.contents(at: url))
    }
    let lost = missing.map { VersionedBundle($0.path, Self.contents(of: $0.input)) }
    var found: [String: String] = [:]
    var taken: Set<String> = []
    func pair(
      _ candidates: [VersionedBundle], by likeness: (VersionedBundle, VersionedBundle) -> Likeness?
    ) {
      var pairs: [(likeness: Likeness, old: String, new: String)] = []
      for bundle in lost where found[bundle.path] == nil {
        for candidate in candidates where !taken.contains(candidate.path) {
          guard let likeness = likeness(bundle, candidate) else { continue }
          pairs.append((likeness, bundle.path, candidate.path))
        }
      }
      pairs.sort { ($1.likeness, $0.old, $0.new) < ($0.likeness, $1.old, $1.new) }
      for pair in pairs where found[pair.old] == nil && taken.insert(pair.new).inserted {
        found[pair.old] = pair.new
      }
    }
    let preferred = candidates.filter { named.contains($0.path) }
    pair(preferred, by: Likeness.ofVersions)
    pair(preferred, by: Likeness.ofEntities)
    pair(candidates, by: Likeness.ofVersions)
    places = found
  }

  /// How much alike two bundles are. Of what they have in common, the first difference decides.
  private struct Likeness: Comparable {
    /// How many versions or entities are the same.
    var equals = 0
    /// The parts of the versions' entities that both have, added up.
    var shares = 0.0
    var areNamesakes = false

    static func < (left: Likeness, right: Likeness) -> Bool {
      (left.equals, left.shares, left.areNamesakes ? 1 : 0)
        < (right.equals, right.shares, right.areNamesakes ? 1 : 0)
    }

    /// The likeness of bundles with versions that are the same byte by byte; nil if there are none.
    static func ofVersions(_ old: VersionedBundle, _ new: VersionedBundle) -> Likeness? {
      let equals = new.versions.count { name, contents in old.versions[name] == contents }
      guard equals > 0 else { return nil }
      // Bundles of one template have a version in common: what else they have decides, rather than the alphabet.
      let others = ofEntities(old, new)
      return Likeness(
        equals: equals, shares: others.map { Double($0.equals) + $0.shares } ?? 0,
        areNamesakes: old.name == new.name)
    }

    /// The likeness of bundles with versions of the same names that have most of their entities in common or, if the
    /// bundles have the same name, any; nil if there are none.
    static func ofEntities(_ old: VersionedBundle, _ new: VersionedBundle) -> Likeness? {
      var likeness = Likeness(areNamesakes: old.name == new.name)
      for name in new.entities.keys.sorted() {
        guard let before = old.entities[name], let after = new.entities[name] else { continue }
        let all = Set(before.keys).union(after.keys)
        let common = all.filter { before[$0] != nil && after[$0] != nil }
        guard !common.isEmpty, likeness.areNamesakes || common.count * 2 > all.count else {
          continue
        }
        likeness.equals += common.count { before[$0] == after[$0] }
        likeness.shares += Double(common.count) / Double(all.count)
      }
      return likeness.shares > 0 ? likeness : nil
    }
  }

  /// A bundle that is missing, or one that may have been it.
  private final class VersionedBundle {
    let path: String
    /// The contents of the versions, by name.
    let versions: [String: Data]
    /// The versions' entities, each with what tells whether it is the same.
    private(set) lazy var entities: [String: [String: Data]] = versions.mapValues {
      Self.entities(of: $0)
    }

    init(_ path: String, _ versions: [String: Data]) {
      self.path = path
      self.versions = versions
    }

    /// The file's name.
    var name: Substring? { path.split(separator: "/").last }

    /// The version hashes of a source's entities; the whole source for each of one that isn't valid.
    private static func entities(of source: Data) -> [String: Data] {
      if let model = try? SourceModel(data: source).model {
        return model.entityVersionHashesByName
      }
      guard let document = try? SourceDocument(data: source, path: "") else { return [:] }
      let names = document.root.children(named: "entity").compactMap { $0["name"] }
      return Dictionary(names.map { ($0, source) }, uniquingKeysWith: { first, _ in first })
    }
  }

  private static func contents(at url: URL) -> [String: Data] {
    contents(of: try? ModelPackage(at: url, isTolerant: true))
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

  /// The paths of the bundles that files are in, or that are links.
  private static func bundles(among files: [String]) -> Set<String> {
    var bundles: Set<String> = []
    for file in files where file.contains(".xcdatamodeld") {
      let parts = file.split(separator: "/")
      guard let last = parts.firstIndex(where: { $0.hasSuffix(".xcdatamodeld") }) else { continue }
      bundles.insert(parts[...last].joined(separator: "/"))
    }
    return bundles
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
