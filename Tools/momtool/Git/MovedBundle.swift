/// A bundle that a commit may have under another path: it is the one there that has most of its versions, byte by byte.
struct MovedBundle {
  /// What is known of a bundle.
  private struct Traces {
    /// Its versions' files, as git names them.
    var versions = Set<String>()
    /// The bundles that weren't moved, and are others.
    var others = Set<String>()
  }

  private let path: String
  /// The path of the bundle itself; nil if there is none in the path.
  private let bundle: String?
  private let repository: GitRepository
  private let traces: () -> Traces

  /// A bundle in the index.
  ///
  /// - Parameters:
  ///   - path: A path in it, or any other, which is the same in all commits.
  ///   - index: All files of the index.
  init(_ path: String, index: [GitRepository.IndexEntry], _ repository: GitRepository) {
    let bundle = Self.bundle(of: path)
    (self.path, self.bundle, self.repository) = (path, bundle, repository)
    traces = {
      let files = index.map { (id: $0.id, path: $0.path) }
      return Traces(
        versions: Self.versions(of: bundle, in: files),
        others: Set(files.compactMap { Self.bundle(of: $0.path) }))
    }
  }

  /// The bundle of a file on both sides of a merge, one of which may have it under another path.
  ///
  /// - Parameters:
  ///   - file: The path of a file that both sides have, as it is after the merge.
  ///   - sides: The commits, each with the name that git gives to its contents of the file.
  init(of file: String, sides: [(commit: String, blob: String)], _ repository: GitRepository) {
    let bundle = Self.bundle(of: file)
    (path, self.bundle, self.repository) = (bundle ?? file, bundle, repository)
    traces = {
      let inside = file.dropFirst(bundle?.count ?? 0)
      var traces = Traces()
      for (place, side) in sides.enumerated() {
        let files = (try? repository.blobs(in: side.commit)) ?? []
        let own =
          files.first { $0.path == file }
          ?? files.first { $0.id == side.blob && $0.path.hasSuffix(inside) }
        traces.versions.formUnion(
          Self.versions(of: own.flatMap { Self.bundle(of: $0.path) }, in: files))
        let bundles = Set(files.compactMap { Self.bundle(of: $0.path) })
        traces.others = place == 0 ? bundles : traces.others.intersection(bundles)
      }
      return traces
    }
  }

  /// The path in a commit; the same if the commit has nothing that could be the bundle.
  ///
  /// - Throws: `GitError` if it may be one of several, or git can't be run.
  func path(in commit: String) throws -> String {
    guard let bundle, repository.object("\(commit):\(bundle)") == nil else { return path }
    let traces = traces()
    var counts: [String: Int] = [:]
    for file in try repository.blobs(in: commit) where traces.versions.contains(file.id) {
      guard let place = Self.bundle(of: file.path), !traces.others.contains(place) else { continue }
      counts[place, default: 0] += 1
    }
    let most = counts.values.max()
    let places = counts.filter { $0.value == most }.keys.sorted()
    guard let place = places.first else { return path }
    guard places.count == 1 else {
      throw GitError(
        .unknownPath,
        "'\(bundle)' is not in \(commit), where it may be '\(places.joined(separator: "' or '"))'")
    }
    return place + path.dropFirst(bundle.count)
  }

  private static func bundle(of path: String) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let last = parts.firstIndex(where: { $0.hasSuffix(".xcdatamodeld") }) else { return nil }
    return parts[...last].joined(separator: "/")
  }

  private static func versions(
    of bundle: String?, in files: [(id: String, path: String)]
  ) -> Set<String> {
    guard let bundle else { return [] }
    return Set(
      files.filter { $0.path.hasPrefix("\(bundle)/") && $0.path.contains(".xcdatamodel/") }
        .map(\.id))
  }
}
