/// The reason why an object's values changed other than through its setters.
///
/// ```swift
/// override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
///   super.awake(fromSnapshotEvents: flags)
///   if flags.contains(.rollback) { thumbnail = nil }
/// }
/// ```
public struct NSSnapshotEventType: OptionSet, Sendable, Hashable {
  /// The events as bits.
  public let rawValue: UInt

  /// Creates a set of events.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// An insertion was undone or redone.
  public static let undoInsertion = NSSnapshotEventType(rawValue: 1 << 1)
  /// A deletion was undone or redone.
  public static let undoDeletion = NSSnapshotEventType(rawValue: 1 << 2)
  /// Changes were undone or redone.
  public static let undoUpdate = NSSnapshotEventType(rawValue: 1 << 3)
  /// All changes since the last save were discarded.
  public static let rollback = NSSnapshotEventType(rawValue: 1 << 4)
  /// The object was refreshed and kept its changes.
  public static let refresh = NSSnapshotEventType(rawValue: 1 << 5)
  /// A merge policy resolved a conflict.
  public static let mergePolicy = NSSnapshotEventType(rawValue: 1 << 6)
}
