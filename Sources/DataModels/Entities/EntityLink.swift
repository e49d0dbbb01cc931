import Synchronization

/// A zeroing reference to an entity for holders that don't own it.
///
/// An entity has one link, which is shared by all objects that refer to the entity weakly. Swift's weak references
/// would serve the same purpose, but once an object has one, its reference counting goes through a side table; and
/// every managed object that a program creates references its entity.
final class EntityLink: @unchecked Sendable {
  // Sendable: the target is set before the link is shared; it is cut by an atomic flag.

  // Set once, before the link is shared.
  @exclusivity(unchecked) private unowned var target: NSEntityDescription?
  private let isCut = Atomic<Bool>(false)

  /// The entity; nil once it has been deallocated.
  var entity: NSEntityDescription? { isCut.load(ordering: .acquiring) ? nil : target }

  /// Sets the target. Called by the entity when it is created.
  func lead(to entity: NSEntityDescription) { target = entity }

  /// Clears the link. Called by the entity when it is deallocated.
  func cut() { isCut.store(true, ordering: .releasing) }
}
