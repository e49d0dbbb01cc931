import Foundation

/// How many random cases a test tries: few enough for each build, and as many as wanted for a long run.
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

  /// One of so many cases in each build, from a place on, and all of them in a long run.
  package static func some<Case>(_ cases: [Case], of count: Int, from start: Int) -> [Case] {
    guard factor == 1 else { return cases }
    return cases.indices.filter { ($0 + start) % count == 0 }.map { cases[$0] }
  }
}
