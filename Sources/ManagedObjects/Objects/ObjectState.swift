/// State flags that a context keeps for an object.
struct ObjectState: OptionSet, Sendable {
  let rawValue: UInt32
  init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The values haven't been loaded yet.
  static let fault = ObjectState(rawValue: 1)
  /// Inserted since the last save.
  static let inserted = ObjectState(rawValue: 2)
  /// Changed since the last save.
  static let updated = ObjectState(rawValue: 4)
  /// To be deleted by the next save.
  static let deleted = ObjectState(rawValue: 8)
  /// Changed since the last `processPendingChanges`.
  static let changedInEvent = ObjectState(rawValue: 16)
  /// The values were fetched, but the fault hasn't fired yet: firing it needs no store access.
  static let rowAtHand = ObjectState(rawValue: 32)
  /// Change tracking is off: `awakeFromFetch` is running, or primitive values are being set.
  static let quiet = ObjectState(rawValue: 64)
  /// The deletion was propagated to related objects.
  static let propagated = ObjectState(rawValue: 128)
  /// The row was gone when the fault fired.
  static let inaccessible = ObjectState(rawValue: 256)
  /// Inserted, or deleted, in the current event; for the notification.
  static let insertedInEvent = ObjectState(rawValue: 512)
  static let deletedInEvent = ObjectState(rawValue: 1024)
  /// Unchanged, but the next save must check its version.
  static let guarded = ObjectState(rawValue: 2048)
  /// One of the object's values has an observer.
  static let observed = ObjectState(rawValue: 1 << 12)
  /// Reads of the object are recorded, for readers that observe its changes.
  static let noticesReads = ObjectState(rawValue: 1 << 13)
  /// The stored values are also the values at the beginning of the current event.
  static let eventValuesAreStored = ObjectState(rawValue: 1 << 14)
  /// The stored values are also the values at the beginning of the event that observers are told of.
  static let toldValuesAreStored = ObjectState(rawValue: 1 << 17)
  /// A relationship was set without its inverse: the two sides may be inconsistent.
  static let hasLooseEnds = ObjectState(rawValue: 1 << 15)
  /// A value is in the context's ``UnsavedIndex``, which must know of changes.
  static let indexed = ObjectState(rawValue: 1 << 16)

  /// `prepareForDeletion` is running.
  static let preparesDeletion = ObjectState(rawValue: 1 << 18)
  /// The changes are being reapplied to the current row.
  static let rebases = ObjectState(rawValue: 1 << 19)

  /// `didSave` is running after the object's insertion, changes or deletion were saved.
  static let savedInsertion = ObjectState(rawValue: 1 << 20)
  static let savedUpdate = ObjectState(rawValue: 1 << 21)
  static let savedDeletion = ObjectState(rawValue: 1 << 22)

  /// The object has left its context: it was deleted, or its insertion was taken back.
  static let forgotten = ObjectState(rawValue: 1 << 23)
  /// The object has become an unsaved one by a change, of which the context's observers are told once it is made.
  static let joinedUnsaved = ObjectState(rawValue: 1 << 24)

  /// The states that a save processes.
  static let pending: ObjectState = [.inserted, .updated, .deleted]
}

/// What the next save does with an object.
///
/// The public properties also tell what is being done, or was just done, where the program's methods ask: these don't.
extension NSManagedObject {
  /// Whether the next save inserts the object.
  final var awaitsInsertion: Bool { state.contains(.inserted) && !state.contains(.deleted) }

  /// Whether the next save writes the object's changes.
  final var awaitsUpdate: Bool {
    state.contains(.updated) && state.isDisjoint(with: [.inserted, .deleted])
  }

  /// Whether the next save deletes the object.
  final var awaitsDeletion: Bool { state.contains(.deleted) }
}
