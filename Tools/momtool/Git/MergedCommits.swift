/// The commits that git is merging, in a merge that it has left unfinished: also in a rebase, a cherry-pick or a revert, or
/// from the stash, where it merges a commit as a change of its parent.
struct MergedCommits {
  /// The commit that both sides were made from; nil if there is none.
  let base: String?
  /// Whether it is one of several, of which git has merged what it needed.
  let hasSeveralBases: Bool
  let ours: String
  let theirs: String

  /// Finds the commits; nil if git doesn't say which they are, or merges several branches. What it may have left from other
  /// work counts if the commits have all stages of the index.
  ///
  /// - Parameter index: All files of the index.
  init?(_ repository: GitRepository, index: [GitRepository.IndexEntry]) {
    let unmerged = index.filter { $0.stage != 0 }
    /// Whether a commit has all files of a stage, under whatever path.
    func has(_ commit: String, _ stage: Int) -> Bool {
      let ids = Set(unmerged.filter { $0.stage == stage }.map(\.id))
      guard !ids.isEmpty else { return true }
      guard let blobs = try? repository.blobs(in: commit) else { return false }
      return ids.isSubset(of: blobs.map(\.id))
    }
    /// Whether a commit has the files of stage 1, and not yet those that theirs added.
    func isBase(_ commit: String) -> Bool {
      let bases = Set(unmerged.filter { $0.stage == 1 }.map(\.path))
      let added = unmerged.filter { $0.stage == 3 && !bases.contains($0.path) }
      return has(commit, 1)
        && !added.contains { repository.object("\(commit):\($0.path)") == $0.id }
    }
    guard let head = try? repository.commit("HEAD") else { return nil }
    ours = head
    let heads = repository.note("MERGE_HEAD")
    if let merged = heads.first {
      guard heads.count == 1 else { return nil }
      let bases = repository.mergeBases(head, String(merged))
      (base, theirs, hasSeveralBases) = (bases.first, String(merged), bases.count > 1)
      return
    }
    // Any commit may be in the notes, and of the index, if nothing in it is unmerged.
    guard !unmerged.isEmpty, has(head, 2) else { return nil }
    let applied = repository.notedCommits.map { theirs in
      repository.parents(of: theirs).map { (base: $0, theirs: theirs) }
    }
    let undone = repository.parents(of: "REVERT_HEAD").map { (base: "REVERT_HEAD", theirs: $0) }
    // The other parents of a stash are its index, and what wasn't in it.
    let stashed = repository.parents(of: "refs/stash").prefix(1)
      .map { (base: $0, theirs: "refs/stash") }
    let candidates = applied + [undone, unmerged.contains { $0.stage == 3 } ? stashed : []]
    let found = candidates.lazy.map { $0.filter { isBase($0.base) && has($0.theirs, 3) } }
      .first { !$0.isEmpty }
    // Of the parents of a merge, one is meant.
    guard let pair = found?.first, found?.count == 1 else { return nil }
    (base, theirs, hasSeveralBases) = (pair.base, pair.theirs, false)
  }

  /// The commit of a stage: 1 the base, 2 ours, 3 theirs.
  func commit(ofStage stage: Int) -> String? {
    stage == 1 ? base : stage == 2 ? ours : theirs
  }
}

extension GitRepository {
  /// The best common ancestors of two commits.
  fileprivate func mergeBases(_ one: String, _ other: String) -> [String] {
    guard let output = try? git(["merge-base", "--all", one, other]), output.exitCode == 0 else {
      return []
    }
    return output.text.split(separator: "\n").map(String.init)
  }

  /// The parents of a commit; empty if there is no such commit.
  fileprivate func parents(of commit: String) -> [String] {
    guard let output = try? git(["rev-parse", "--quiet", "--revs-only", "\(commit)^@"]),
      output.exitCode == 0
    else { return [] }
    return output.text.split(separator: "\n").map(String.init)
  }

  /// The files of a commit.
  func blobs(in commit: String) throws -> [(id: String, path: String)] {
    let output = try git(["ls-tree", "-r", "-z", "--full-tree", commit])
    guard output.exitCode == 0 else {
      throw GitError(.commandFailed, "git ls-tree \(commit) failed: \(output.errors)")
    }
    // Mode, type, object.
    return output.listing.compactMap { words, path in
      guard words.count == 3, words[1] == "blob" else { return nil }
      return (String(words[2]), path)
    }
  }
}
