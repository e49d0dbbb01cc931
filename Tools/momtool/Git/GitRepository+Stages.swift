import Foundation

extension GitRepository {
  /// A file that a merge left unmerged in the index.
  struct UnmergedFile {
    /// The path relative to the repository's root.
    let path: String
    /// The contents by stage: 1 the base, 2 ours, 3 theirs. Stages that a side doesn't have are missing.
    let stages: [Int: Data]
  }

  /// Returns the unmerged files at or below paths.
  ///
  /// - Parameter paths: Paths relative to the root; empty for the whole repository.
  /// - Throws: `GitError` when the index can't be read.
  func unmergedFiles(at paths: [String] = []) throws -> [UnmergedFile] {
    let entries = try indexEntries(at: paths).filter { $0.stage > 0 }
    let contents = try contents(of: entries.map(\.id))
    var files: [String: [Int: Data]] = [:]
    for (entry, data) in zip(entries, contents) {
      files[entry.path, default: [:]][entry.stage] = data
    }
    return files.sorted { $0.key < $1.key }.map { UnmergedFile(path: $0.key, stages: $0.value) }
  }

  /// The paths of the files in the index or, besides those, of the ones in the working tree that could be added to it:
  /// neither ignored files nor those of other repositories inside, such as submodules and worktrees.
  ///
  /// - Parameter isStaged: Whether only the index counts.
  /// - Throws: `GitError` when git can't tell.
  func paths(isStaged: Bool) throws -> [String] {
    let untracked = isStaged ? [] : ["--others", "--exclude-standard"]
    let output = try git(["ls-files", "-z", "--full-name", "--cached"] + untracked)
    guard output.exitCode == 0 else {
      throw GitError(.commandFailed, "git ls-files failed: \(output.errors)")
    }
    // Other repositories are listed as folders.
    return output.data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      .filter { !$0.hasSuffix("/") }
  }

  /// Whether a sparse checkout excludes all files at and below a path of the index from the working tree.
  func isLeftOut(_ path: String) throws -> Bool {
    let entries = try git(["ls-files", "-t", "-z", "--full-name", "--", path]).data.split(
      separator: 0)
    return !entries.isEmpty && entries.allSatisfy { $0.starts(with: "S ".utf8) }
  }

  /// The stage denoted by a revision: `:2` as in git, or `2` if there is no revision with that name. Stage 0 is what
  /// is staged for the next commit.
  func stage(_ revision: String) -> Int? {
    guard let number = Int(revision.drop { $0 == ":" }), (0...3).contains(number) else {
      return nil
    }
    return revision.hasPrefix(":") || (try? commit(revision)) == nil ? number : nil
  }

  /// The files at and below a path on one side of an unfinished merge: those of the side's own commit, since of files that
  /// git merged, the index has only the result, in which one side's changes would be the other's too.
  ///
  /// - Throws: `GitError` for what is staged for the next commit when a part of it is unmerged, and if git doesn't say
  ///   which commits it is merging.
  func entries(at path: String, inStage stage: Int) throws -> [Entry] {
    let all = try indexEntries(at: path.isEmpty ? [] : [path])
    let unmerged = all.filter { $0.stage != 0 }
    if stage == 0 {
      guard let first = unmerged.first else { return try entries(all, below: path) }
      throw GitError(
        .commandFailed, "'\(first.path)' is unmerged; name a side: git:2: is ours, git:3: theirs")
    }
    let own = unmerged.filter { $0.stage == stage }
    // Of a file of its own, the index has all that there is to know.
    if unmerged.contains(where: { $0.path == path }) { return try entries(own, below: path) }
    let everything = try indexEntries(at: [])
    guard let merged = MergedCommits(self, index: everything) else {
      guard everything.contains(where: { $0.stage != 0 }) else {
        return try entries(all, below: path)
      }
      throw GitError(
        .commandFailed,
        "git doesn't say which commits it is merging, so only unmerged files have sides; name commits"
          + " instead, as in git:HEAD:\(path)")
    }
    guard let commit = merged.commit(ofStage: stage) else { return [] }
    let place = try MovedBundle(path, index: everything, self).path(in: commit)
    let found = try entries(at: place, in: commit)
    guard stage == 1, merged.hasSeveralBases else { return found }
    // Git has merged the bases of the unmerged files.
    let contested = Set(unmerged.map { relative($0.path, to: path) })
    return try entries(own, below: path) + found.filter { !contested.contains($0.path) }
  }

  private func relative(_ path: String, to folder: String) -> String {
    folder.isEmpty ? path : String(path.dropFirst(folder.count).drop { $0 == "/" })
  }

  private func entries(_ found: [IndexEntry], below path: String) throws -> [Entry] {
    let sizes = try git(
      ["cat-file", "--batch-check=%(objectsize)"],
      input: Data(found.map { $0.id + "\n" }.joined().utf8)
    ).text.split(separator: "\n").map { Int($0) ?? 0 }
    return zip(found, sizes).map { entry, size in
      Entry(id: entry.id, size: size, path: relative(entry.path, to: path))
    }
  }

  /// A file in the index, or a stage of it.
  typealias IndexEntry = (id: String, stage: Int, path: String)

  private func indexEntries(at paths: [String]) throws -> [IndexEntry] {
    let output = try git(["ls-files", "-s", "-z", "--full-name", "--"] + paths)
    guard output.exitCode == 0 else {
      throw GitError(.commandFailed, "git ls-files failed: \(output.errors)")
    }
    // Mode, object, stage.
    return output.listing.compactMap { words, path in
      guard words.count == 3, words[0].hasPrefix("100"), let stage = Int(words[2]) else {
        return nil
      }
      return (String(words[1]), stage, path)
    }
  }
}
