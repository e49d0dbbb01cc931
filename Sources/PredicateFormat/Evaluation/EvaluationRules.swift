/// By whose rules a predicate is evaluated, where those of Foundation and of stores differ.
package enum EvaluationRules: Hashable, Sendable {
  /// Foundation's, as `NSPredicate.evaluate(with:)`: nil is a value that equals only nil, dates aren't
  /// numbers, and dividing by zero is an error.
  case foundation
  /// A fetch from a store in memory, or of a program's own: Foundation's rules about nil, but what is
  /// computed is computed as SQL does: dates count as their seconds since 2001, and what is divided by
  /// zero is nil. Core Data needs `CAST(date, "NSNumber")` there.
  case memoryStore
  /// A fetch from a SQLite store: what is compared with a missing value is neither true nor false, so
  /// that neither `x == 1` nor `x != 1` nor `NOT (x == 1)` holds where x is nil; only `x == nil` and
  /// `x != nil` ask for nil. A number equals the text that it is written as.
  case sqliteStore

  /// Whether dates count as numbers, and quotients by zero as nil.
  var computesAsSQL: Bool { self != .foundation }

  /// Whether a comparison with a missing value is neither true nor false.
  var nilIsUnknown: Bool { self == .sqliteStore }
}
