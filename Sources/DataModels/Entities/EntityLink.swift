import Synchronization

/// How others refer to an entity that they don't keep: the entity, until it goes.
///
/// An entity has one link, and all who would refer to it weakly keep that. Swift's own weak reference
/// would do the same, but counting to an object that has any goes through a table beside it from then
/// on; and each object that a program makes is handed its entity.
final class EntityLink: @unchecked Sendable {
  // Sendable: set before anybody else has it; cut by an atomic.

  // Set once, before anybody else has the link.
  @exclusivity(unchecked) private unowned var target: NSEntityDescription?
  private let isCut = Atomic<Bool>(false)

  /// The entity; nil when it has gone.
  var entity: NSEntityDescription? { isCut.load(ordering: .acquiring) ? nil : target }

  /// Leads to an entity: the entity says so when it is made.
  func lead(to entity: NSEntityDescription) { target = entity }

  /// Leads nowhere: the entity says so when it goes.
  func cut() { isCut.store(true, ordering: .releasing) }
}
