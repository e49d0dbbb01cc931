import Foundation

extension GitRepository {
  /// The default limit on the bytes read from a path: 256 MB.
  static let defaultLimit = 256 << 20

  /// Reads the files at and below a path in a revision, keyed by their relative path.
  ///
  /// For a path to a single file, its key is "". Symbolic links and submodules are omitted.
  ///
  /// - Parameters:
  ///   - path: The path relative to the repository's root, with `/` as separator.
  ///   - revision: A commit, tag, branch or anything else that git can resolve to a commit.
  ///   - limit: The most bytes to read in total.
  /// - Throws: `GitError` when the revision or path doesn't exist, or the files are too large.
  func files(
    at path: String, in revision: String, limit: Int = GitRepository.defaultLimit
  ) throws -> [String: Data] {
    let entries =
      if let stage = stage(revision) {
        try entries(at: path, inStage: stage)
      } else {
        try entries(at: path, in: revision)
      }
    guard !entries.isEmpty || path.isEmpty else {
      throw GitError(.unknownPath, "'\(path)' is not in \(revision)")
    }
    var total = 0
    for entry in entries {
      let (sum, overflow) = total.addingReportingOverflow(entry.size)
      guard !overflow, sum <= limit else {
        throw GitError(
          .tooLarge,
          "\(path) in \(revision) contains more than \(limit) bytes; choose a smaller part")
      }
      total = sum
    }
    let contents = try self.contents(of: entries.map(\.id))
    return Dictionary(zip(entries.map(\.path), contents)) { first, _ in first }
  }

  /// Returns the folders and files whose names end with a suffix, relative to the root.
  ///
  /// - Throws: `GitError` when the revision doesn't exist.
  func paths(endingIn suffix: String, in revision: String) throws -> [String] {
    var found = Set<String>()
    for entry in try entries(at: "", in: revision) {
      var path = ""
      for part in entry.path.split(separator: "/") {
        path += path.isEmpty ? String(part) : "/\(part)"
        if part.hasSuffix(suffix) {
          found.insert(path)
          break
        }
      }
    }
    return found.sorted()
  }

  /// A file in a tree.
  struct Entry {
    let id: String
    let size: Int
    let path: String
  }

  func entries(at path: String, in revision: String) throws -> [Entry] {
    let commit = try commit(revision)
    let clean = path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    var arguments = ["ls-tree", "-r", "-z", "-l", "--full-tree", commit]
    if !clean.isEmpty { arguments += ["--", clean] }
    let output = try git(arguments)
    guard output.exitCode == 0 else {
      throw GitError(.commandFailed, "git ls-tree \(revision) failed: \(output.errors)")
    }
    let entries = try output.data.split(separator: 0).compactMap { line in
      try entry(String(decoding: line, as: UTF8.self), below: clean)
    }
    guard !entries.isEmpty || clean.isEmpty else {
      if let submodule = try submodule(around: clean, in: commit) {
        throw GitError(
          .unknownPath,
          "'\(clean)' is in the submodule '\(submodule)'; run momtool there"
        )
      }
      throw GitError(.unknownPath, "'\(clean)' is not in \(revision)")
    }
    return entries
  }

  /// Returns the submodule at or above a path; nil if there is none.
  ///
  /// - Throws: `GitError` when git can't be run.
  func submodule(around path: String, in commit: String) throws -> String? {
    let parts = path.split(separator: "/")
    guard !parts.isEmpty else { return nil }
    let folders = (1...parts.count).map { parts.prefix($0).joined(separator: "/") }
    // Each line: mode, type, object, a tab and the path.
    return try git(["ls-tree", "-z", "--full-tree", commit, "--"] + folders).data.split(
      separator: 0
    )
    .map { String(decoding: $0, as: UTF8.self) }.first { $0.hasPrefix("160000 ") }
    .flatMap { $0.split(separator: "\t", maxSplits: 1).last.map(String.init) }
  }

  /// Parses a line of `ls-tree -l`: mode, type, object, size, a tab and the path.
  private func entry(_ line: String, below folder: String) throws -> Entry? {
    let halves = line.split(separator: "\t", maxSplits: 1)
    let words = halves.first?.split(separator: " ") ?? []
    guard halves.count == 2, words.count == 4 else {
      throw GitError(.unreadableObject, "git ls-tree said '\(line)', which can't be understood")
    }
    guard words[0].hasPrefix("100"), words[1] == "blob", let size = Int(words[3]) else {
      return nil
    }
    var path = String(halves[1])
    if !folder.isEmpty {
      path = path == folder ? "" : String(path.dropFirst(folder.count + 1))
    }
    let parts = path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
      .map { String($0) }
    guard path.isEmpty || !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) else {
      throw GitError(.unreadableObject, "the tree contains the path '\(path)', which is unsafe")
    }
    return Entry(id: String(words[2]), size: size, path: path)
  }

  /// Reads the contents of objects with a single `git cat-file --batch`.
  func contents(of ids: [String]) throws -> [Data] {
    guard !ids.isEmpty else { return [] }
    let output = try git(
      ["cat-file", "--batch"], input: Data(ids.joined(separator: "\n").utf8) + Data("\n".utf8))
    var rest = output.data[...]
    return try ids.map { id in
      guard let end = rest.firstIndex(of: 0x0A) else {
        throw GitError(.unreadableObject, "git cat-file returned nothing for object \(id)")
      }
      let header = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
      guard header.count == 3, header[1] == "blob", let size = Int(header[2]), size >= 0,
        size < rest.endIndex - end - 1
      else {
        throw GitError(
          .unreadableObject,
          "git cat-file returned '\(header.joined(separator: " "))' for object \(id)"
        )
      }
      let start = end + 1
      defer { rest = rest[(start + size + 1)...] }
      return Data(rest[start..<(start + size)])
    }
  }
}
