import CSQLite
import Foundation

/// How far a migration is, for a `Progress` that somebody looks at and may cancel.
final class MigrationProgress {
  let progress: Progress

  init(_ progress: Progress?) { self.progress = progress ?? Progress(totalUnitCount: 1) }

  var isCancelled: Bool { progress.isCancelled }

  /// Says how many steps there are.
  func begin(steps: Int) {
    progress.totalUnitCount = Int64(max(steps, 1))
    progress.completedUnitCount = 0
  }

  /// Notes one step more, unless somebody cancelled.
  func step() throws {
    if isCancelled { throw MigrationError.cancelled() }
    if progress.completedUnitCount < progress.totalUnitCount { progress.completedUnitCount += 1 }
  }

  func finish() { progress.completedUnitCount = progress.totalUnitCount }
}

extension SQLiteConnection {
  /// Runs `body`; its statements end with `.interrupted` soon after `progress` was cancelled.
  func watching<Result>(_ progress: MigrationProgress, _ body: () throws -> Result) rethrows
    -> Result
  {
    let watched = Unmanaged.passUnretained(progress)
    sqlite3_progress_handler(
      handle, 10_000,
      { context in
        guard let context else { return 0 }
        let progress = Unmanaged<MigrationProgress>.fromOpaque(context).takeUnretainedValue()
        return progress.isCancelled ? 1 : 0
      }, watched.toOpaque())
    defer { sqlite3_progress_handler(handle, 0, nil, nil) }
    return try body()
  }
}
