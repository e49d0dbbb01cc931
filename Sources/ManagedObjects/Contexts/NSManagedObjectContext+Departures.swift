/// An object that has left its context with members that may lead back to it.
struct DepartedObject {
  weak var object: NSManagedObject?
}

/// Objects that have left the context: their insertion was rolled back, or they were deleted.
///
/// A program may still read them, and whoever undoes their deletion finds them related as they were. But two that have each
/// other among their members would keep each other alive for ever, and with them their model. So their relationships are
/// forgotten in the end: by the next save, rollback or reset, or when the context goes; with an undo manager not by saves.
extension NSManagedObjectContext {
  /// Remembers an object that leaves the context.
  @inline(never)
  final func noteDeparture(of object: NSManagedObject) {
    if object.mayBeInCircle { departed.append(DepartedObject(object: object)) }
  }

  /// Breaks the reference cycles of the objects that have left, and haven't come back.
  final func forgetDeparted() {
    guard !departed.isEmpty else { return }
    let objects = departed.compactMap(\.object)
    departed = []
    for object in objects where object.context == nil { object.breakCircles() }
  }
}
