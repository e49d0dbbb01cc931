/// Why an object took other values than those it was given by the program.
public struct NSSnapshotEventType: OptionSet, Sendable, Hashable {
  /// The events as bits.
  public let rawValue: UInt

  /// Makes a set of events.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// An insertion was taken back, or made again.
  public static let undoInsertion = NSSnapshotEventType(rawValue: 1 << 1)
  /// A deletion was taken back, or made again.
  public static let undoDeletion = NSSnapshotEventType(rawValue: 1 << 2)
  /// Changes were taken back, or made again.
  public static let undoUpdate = NSSnapshotEventType(rawValue: 1 << 3)
  /// All changes since the last save were dropped.
  public static let rollback = NSSnapshotEventType(rawValue: 1 << 4)
  /// The object was refreshed and kept its changes.
  public static let refresh = NSSnapshotEventType(rawValue: 1 << 5)
  /// A merge policy resolved a conflict.
  public static let mergePolicy = NSSnapshotEventType(rawValue: 1 << 6)
}
