import DataModels
import Foundation
import ModelEvolution
import PropertyLists

/// The models at a path in each commit that changed it, oldest first, and in the working tree.
struct GitHistory {
  /// The maximum number of commits to read, counted from the newest.
  static let mostCommits = 300

  /// The models and their names; each differs from the one before.
  let versions: [(name: String, model: NSManagedObjectModel)]

  /// Whether git has a history for a path.
  static func isKnown(_ path: String) -> Bool {
    guard let repository = try? GitRepository(containing: URL(fileURLWithPath: path)),
      let inside = try? repository.path(of: URL(fileURLWithPath: path)),
      let commits = try? commits(of: inside, in: repository)
    else { return false }
    return !commits.isEmpty
  }

  /// Reads a path's history. Revisions whose model can't be read are reported and omitted.
  ///
  /// - Throws: `GitError` if there is no repository; ``Diagnostic`` if no commit contains the path.
  init(of path: String) throws {
    guard try InputLocation(path).revision == nil else {
      throw Diagnostic(
        "a history is that of a file in the working tree: name it without git: and a revision",
        path: path)
    }
    let url = URL(fileURLWithPath: path)
    let repository = try GitRepository(containing: url)
    let inside = try repository.path(of: url)
    let commits = try Self.commits(of: inside, in: repository)
    guard !commits.isEmpty else {
      throw Diagnostic("no commit contains it, so git has no history of it", path: path)
    }
    if commits.count > Self.mostCommits {
      Diagnostics.report(
        Diagnostic(
          warning: "\(commits.count) commits changed it; the newest \(Self.mostCommits) are shown",
          path: path))
    }
    var versions: [(name: String, model: NSManagedObjectModel)] = []
    var last: ModelOutline?
    func add(_ name: String, _ model: NSManagedObjectModel) {
      let outline = ModelOutline(of: model)
      guard outline != last else { return }
      last = outline
      versions.append((name, model))
    }
    for commit in commits.suffix(Self.mostCommits) {
      do {
        let files = try repository.files(at: inside, in: commit.id)
        guard !files.isEmpty else { continue }
        add(commit.name, try Self.model(of: files, called: url.lastPathComponent))
      } catch let error as GitError where error.code == .unknownPath {
        // The commit deleted it.
        continue
      } catch {
        for message in Diagnostics.messages(for: error, path: nil) {
          Diagnostics.report(Diagnostic(warning: message, path: "\(path) in \(commit.name)"))
        }
      }
    }
    if FileManager.default.fileExists(atPath: path) {
      add("working tree", try HistoryInput.required(path, reading: .selected).model())
    }
    self.versions = versions
  }

  private struct Commit {
    let id: String
    let name: String
  }

  /// Returns the commits that changed a path, oldest first.
  private static func commits(
    of path: String, in repository: GitRepository
  ) throws -> [Commit] {
    let output = try repository.git([
      "log", "--reverse", "--topo-order", "--decorate=short", "--format=%H%x09%cs%x09%h%x09%D",
      "--",
      // From the root, and a name even if it contains wildcards: see `GitCommand`.
      path.isEmpty ? "." : path,
    ])
    // A repository without commits has no history.
    guard output.exitCode == 0 else { return [] }
    return output.text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard words.count >= 3 else { return nil }
      let tag =
        words.count > 3
        ? words[3].components(separatedBy: ", ").first { $0.hasPrefix("tag: ") }
          .map { String($0.dropFirst(5)) } : nil
      return Commit(id: words[0], name: "\(words[1]) \(tag ?? words[2])")
    }
  }

  private static func model(
    of files: [String: Data], called name: String
  ) throws -> NSManagedObjectModel {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let top = folder.url.appendingPathComponent(name)
    try GitCheckout.write(files, to: top)
    return try HistoryInput(top.path, reading: .selected).model()
  }
}
