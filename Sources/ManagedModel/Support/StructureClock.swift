import Synchronization

/// Counts every change that any lookup table of an entity may depend on.
///
/// An entity's tables take in its ancestors' properties. Telling each descendant of a change would
/// make building a hierarchy quadratic; instead a table remembers the time it was made at, and is
/// made again when the clock has moved. A frozen entity doesn't look at the clock: nothing that its
/// tables are made of can change any more.
enum StructureClock {
  private static let time = Atomic<UInt64>(1)

  /// The present time.
  static var now: UInt64 { time.load(ordering: .relaxed) }

  /// Makes every table of an editable entity stale.
  static func tick() { time.add(1, ordering: .relaxed) }
}
