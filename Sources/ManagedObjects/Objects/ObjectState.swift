/// What a context knows of an object besides its values.
struct ObjectState: OptionSet, Sendable {
  let rawValue: UInt16
  init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The values are not there yet.
  static let fault = ObjectState(rawValue: 1)
  /// Made since the last save.
  static let inserted = ObjectState(rawValue: 2)
  /// Changed since the last save.
  static let updated = ObjectState(rawValue: 4)
  /// To be deleted by the next save.
  static let deleted = ObjectState(rawValue: 8)
  /// Changed since the last `processPendingChanges`.
  static let changedInEvent = ObjectState(rawValue: 16)
  /// The values came with a fetch, but nobody looked yet: firing the fault needs no store.
  static let rowAtHand = ObjectState(rawValue: 32)
  /// Change tracking is off: `awakeFromFetch` and `awakeFromInsert` run, or primitives are set.
  static let quiet = ObjectState(rawValue: 64)
  /// The deletion was carried to related objects.
  static let propagated = ObjectState(rawValue: 128)
  /// The row was gone when the fault fired.
  static let inaccessible = ObjectState(rawValue: 256)
  /// Inserted, changed or deleted in the present event, each for the notification.
  static let insertedInEvent = ObjectState(rawValue: 512)
  static let deletedInEvent = ObjectState(rawValue: 1024)
  /// Unchanged, but its version is to be checked by the next save.
  static let guarded = ObjectState(rawValue: 2048)
  /// Somebody observes one of its values.
  static let observed = ObjectState(rawValue: 1 << 12)
  /// Whoever reads the object may want to know of its changes.
  static let noticesReads = ObjectState(rawValue: 1 << 13)
  /// What the store has are also the values at the beginning of the present event.
  static let eventValuesAreStored = ObjectState(rawValue: 1 << 14)
  /// A relationship was set without its inverse: the two sides may differ.
  static let hasLooseEnds = ObjectState(rawValue: 1 << 15)

  /// Whatever the next save has to do with the object.
  static let pending: ObjectState = [.inserted, .updated, .deleted]
}
