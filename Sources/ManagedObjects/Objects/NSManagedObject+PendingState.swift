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
