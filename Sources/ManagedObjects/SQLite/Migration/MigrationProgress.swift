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
