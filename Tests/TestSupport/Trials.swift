import Foundation

/// How many random cases a test tries: some in each build, and as many as wanted in a long run.
///
/// `MOMKIT_TRIALS` multiplies the numbers (1), and `MOMKIT_TRIALS_FROM` is the first seed (0):
/// `MOMKIT_TRIALS=20 MOMKIT_TRIALS_FROM=1000 Tools/test --filter MergeLawTests` tries other cases, and more.
package enum Trials {
  private static let environment = ProcessInfo.processInfo.environment

  /// The factor of this run.
  package static let factor = max(1, environment["MOMKIT_TRIALS"].flatMap(Int.init) ?? 1)

  /// The seeds of a test that tries some cases in each build.
  package static func seeds(_ count: Int) -> Range<UInt64> {
    let first = environment["MOMKIT_TRIALS_FROM"].flatMap { UInt64($0) } ?? 0
    return first..<(first + UInt64(count * factor))
  }
}
