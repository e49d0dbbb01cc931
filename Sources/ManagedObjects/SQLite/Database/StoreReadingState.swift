import Foundation
import PropertyLists

/// What a connection that only reads has seen of its file when it was opened, by which later requests notice that others
/// have written it.
struct StoreReadingState: Sendable {
  /// The state of a store's file and of those that SQLite keeps beside it.
  struct Files: Equatable, Sendable {
    let main: FileState?
    /// The `-wal` and the `-journal`, unless they are missing or empty, which means the same.
    let log: FileState?
    let journal: FileState?

    /// - Parameter paths: those of the three files.
    init(_ paths: [String]) {
      main = FileState(path: paths[0])
      log = FileState(path: paths[1]).flatMap { $0.isEmpty ? nil : $0 }
      journal = FileState(path: paths[2]).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether any write from now on changes the state.
    var isSettled: Bool {
      main?.isSettled ?? true && log?.isSettled ?? true && journal?.isSettled ?? true
    }
  }

  /// How the connection reads, which decides what can escape it.
  private enum Way {
    /// From the log and under its locks: only another file at the path.
    case log
    /// Under the locks of rollback mode: the change to WAL mode, and what a writer leaves that crashes.
    case journal
    /// The bytes of the file, without locks: whatever is written.
    case bytes
    /// A private copy: whatever is written to the original.
    case copy
  }

  private let paths: [String]
  private let files: Files
  private let way: Way
  /// Whether ``files`` differ after any later write.
  private let isSettled: Bool

  /// The paths of a store's file and of those beside it. That of a link stays one, so that another destination is noticed.
  static func paths(of path: String) -> [String] {
    let real = FileBytes.resolvingLinks(path)
    return [path, real + "-wal", real + "-journal"]
  }

  /// - Parameter hasLog: whether the file is in WAL mode.
  init(_ paths: [String], _ files: Files, isSettled: Bool, plan: StoreReadingPlan, hasLog: Bool) {
    (self.paths, self.files) = (paths, files)
    switch plan {
    case .shared: way = hasLog ? .log : .journal
    case .immutable: way = .bytes
    case .copy: way = .copy
    }
    // SQLite's locks make up for a time that stood still.
    self.isSettled = isSettled || plan == .shared
  }

  /// Whether the connection reads pages that a writer may be replacing.
  var readsUnlocked: Bool { way == .bytes }

  /// Whether a request that begins now can read through the connection.
  var isCurrent: Bool {
    guard isSettled, let now = FileState(path: paths[0]), let then = files.main else {
      return false
    }
    return switch way {
    case .log: now.isSameFile(as: then)
    case .bytes: now == then && Self.isEmpty(paths[1]) == (files.log == nil)
    case .journal, .copy: now == then && Files(paths) == files
    }
  }

  /// Whether the main file is as it was: all pages read before this moment belong together.
  ///
  /// So do those of a file without locks that was removed, moved or replaced: the connection goes on reading what it has
  /// opened. (Whoever writes to that under another name isn't noticed.)
  var hasSamePages: Bool {
    let now = FileState(path: paths[0])
    guard way == .bytes, let then = files.main else { return now == files.main }
    return now == then || now?.isSameFile(as: then) != true
  }

  private static func isEmpty(_ path: String) -> Bool {
    FileState(path: path).map(\.isEmpty) ?? true
  }
}
