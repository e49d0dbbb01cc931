/// The objects of a context that were inserted, changed and deleted, since the last save and in the present event.
///
/// One thread at a time uses a context, and appending to these lists calls nothing of the program's: watching over that
/// would cost as much as the appending.
final class UnsavedObjects {
  @exclusivity(unchecked) fileprivate var inserted: [NSManagedObject] = []
  @exclusivity(unchecked) fileprivate var updated: [NSManagedObject] = []
  @exclusivity(unchecked) fileprivate var deleted: [NSManagedObject] = []
  @exclusivity(unchecked) fileprivate var event = NSManagedObjectContext.PendingEvent()
  @exclusivity(unchecked) fileprivate var noticesTurns: Bool

  init(noticesTurns: Bool) { self.noticesTurns = noticesTurns }
}

extension NSManagedObjectContext {
  /// The objects inserted since the last save, and some that were taken back since.
  @inline(__always)
  final var inserted: [NSManagedObject] {
    get { unsaved.inserted }
    _modify { yield &unsaved.inserted }
  }

  /// The objects changed since the last save, and some that have no changes any more.
  @inline(__always)
  final var updated: [NSManagedObject] {
    get { unsaved.updated }
    _modify { yield &unsaved.updated }
  }

  /// The objects deleted since the last save.
  @inline(__always)
  final var deleted: [NSManagedObject] {
    get { unsaved.deleted }
    _modify { yield &unsaved.deleted }
  }

  /// The objects touched in the present event.
  @inline(__always)
  final var event: PendingEvent {
    get { unsaved.event }
    _modify { yield &unsaved.event }
  }

  /// Whether the next change has the turn's end process changes: for a main queue context whose turn
  /// nothing happened in yet.
  @inline(__always)
  final var noticesTurns: Bool {
    get { unsaved.noticesTurns }
    _modify { yield &unsaved.noticesTurns }
  }
}
