import Foundation

/// The progress of a migration, reported to a `Progress` that may be cancelled.
final class MigrationProgress {
  let progress: Progress

  init(_ progress: Progress?) { self.progress = progress ?? Progress(totalUnitCount: 1) }

  var isCancelled: Bool { progress.isCancelled }

  /// Sets the number of steps.
  func begin(steps: Int) {
    progress.totalUnitCount = Int64(max(steps, 1))
    progress.completedUnitCount = 0
  }

  /// Completes a step; throws if the migration was cancelled.
  func step() throws {
    if isCancelled { throw MigrationError.cancelled() }
    if progress.completedUnitCount < progress.totalUnitCount { progress.completedUnitCount += 1 }
  }

  func finish() { progress.completedUnitCount = progress.totalUnitCount }
}
