import Foundation

/// The commit whose changes git is applying to another: in a rebase, a cherry-pick or from the stash.
///
/// Git leaves a note of it in some of these cases only. In the others it is one of the commits that added the file.
struct AppliedCommits {
  private let repository: GitRepository
  private let path: String
  /// Their file, as git names it.
  private let blob: String

  /// Looks for commits that added a file with certain contents.
  ///
  /// - Parameters:
  ///   - path: The path of the file, relative to the repository's root.
  ///   - theirs: The contents that the commit has there.
  init(_ repository: GitRepository, path: String, theirs: Data) {
    self.repository = repository
    self.path = path
    blob = repository.blob(of: theirs)
  }

  /// The commits that come into question, each with its parent: one, if git has noted it.
  var steps: [(commit: String, parent: String)] {
    guard !blob.isEmpty else { return [] }
    for commit in repository.notedCommits {
      if let parent = parent(of: commit) { return [(commit, parent)] }
    }
    return added.compactMap { commit in parent(of: commit).map { (commit, $0) } }
  }

  /// The parent of a commit that added the file; nil for any other.
  private func parent(of commit: String) -> String? {
    guard repository.object("\(commit):\(path)") == blob,
      let parent = try? repository.commit("\(commit)^"),
      repository.object("\(parent):\(path)") == nil
    else { return nil }
    return parent
  }

  /// The commits of all branches, and of the stash, in which the file came to have these contents, or ceased to.
  private var added: [String] {
    let output = try? repository.git([
      "log", "--all", "--format=%H", "--max-count=64", "--find-object=\(blob)", "--", path,
    ])
    guard let output, output.exitCode == 0 else { return [] }
    return output.text.split(separator: "\n").map(String.init)
  }
}

extension GitRepository {
  /// The commits that git's notes of unfinished work name, of which the work at hand need not apply any.
  var notedCommits: [String] {
    // A rebase has noted the step that it is at as done; a cherry-pick of several commits, as still to do.
    let steps = [
      note("rebase-merge/done").last, note("rebase-apply/original-commit").first,
      note("sequencer/todo").first,
    ]
    return steps.compactMap { $0 }.compactMap(Self.commit) + ["CHERRY_PICK_HEAD", "REBASE_HEAD"]
  }

  /// The commit of a step: `58fc516`, `pick 58fc516 topic`, `fixup -C 58fc516 topic`.
  private static func commit(_ step: Substring) -> String? {
    let words: [Substring] = step.split(separator: " ")
    return words.first { $0.count >= 4 && $0.allSatisfy(\.isHexDigit) }.map { String($0) }
  }

  /// The lines of one of git's notes; empty if it doesn't exist.
  func note(_ name: String) -> [Substring] {
    guard let place = try? git(["rev-parse", "--git-path", name]).text,
      let data = try? Data(contentsOf: URL(fileURLWithPath: place, relativeTo: root))
    else { return [] }
    return String(decoding: data, as: UTF8.self).split(separator: "\n")
  }

  /// The name that git gives to contents; empty if it can't be run.
  func blob(of contents: Data) -> String {
    let output = try? git(["hash-object", "--no-filters", "--stdin"], input: contents)
    return output?.text ?? ""
  }

  /// Whether commits are missing from the clone, so that what is related may seem unrelated.
  var isShallow: Bool {
    (try? git(["rev-parse", "--is-shallow-repository"]))?.text == "true"
  }

  /// The name of an object; nil if there is none: `v1:App/Model.xcdatamodeld` is the bundle in a tag.
  func object(_ name: String) -> String? {
    let output = try? git(["rev-parse", "--verify", "--quiet", "--end-of-options", name])
    guard let output, output.exitCode == 0, !output.text.isEmpty else { return nil }
    return output.text
  }
}
