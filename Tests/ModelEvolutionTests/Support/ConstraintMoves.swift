import DataModels
import Foundation
import TestSupport

/// Random moves of uniqueness constraints between parents and children, and of children away from parents with
/// constraints.
///
/// They have their own random numbers, so that the results of ``ShapedEdits`` for a seed don't change.
struct ConstraintMoves {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed ^ 0xC0_57_A1) }

  /// Returns a changed copy of a model, keeping those of the attempted moves that leave it valid.
  mutating func edited(_ base: NSManagedObjectModel, tries: Int) -> NSManagedObjectModel {
    var model = base
    for _ in 0..<tries {
      let next = model.copy() as? NSManagedObjectModel ?? model
      guard let entity = random.pick(next.entities) else { return model }
      move(entity)
      if !next.findings().contains(where: { $0.severity == .error }) { model = next }
    }
    return model
  }

  private mutating func move(_ entity: NSEntityDescription) {
    switch random.number(0...2) {
    case 0: pushDown(from: entity)
    case 1: pullUp(from: entity)
    default: leaveParent(entity)
    }
  }

  /// Moves a constraint into all subentities.
  private mutating func pushDown(from entity: NSEntityDescription) {
    guard !entity.subentities.isEmpty,
      let constraint = random.pick(entity.ownUniquenessConstraints)
    else { return }
    entity.ownUniquenessConstraints.removeAll { $0 == constraint }
    for child in entity.subentities { add([constraint], to: child) }
  }

  /// Moves a constraint into the parent, from all siblings that have it.
  private mutating func pullUp(from entity: NSEntityDescription) {
    guard let parent = entity.superentity,
      let constraint = random.pick(entity.ownUniquenessConstraints)
    else { return }
    for sibling in parent.subentities {
      sibling.ownUniquenessConstraints.removeAll { $0 == constraint }
    }
    add([constraint], to: parent)
  }

  /// Moves an entity up by one level, with copies of its parent's attributes and constraints.
  private func leaveParent(_ entity: NSEntityDescription) {
    guard let parent = entity.superentity else { return }
    let attributes = parent.ownProperties.compactMap { $0.copy() as? NSAttributeDescription }
    parent.subentities = parent.subentities.filter { $0 !== entity }
    if let above = parent.superentity { above.subentities.append(entity) }
    entity.properties += attributes
    add(parent.ownUniquenessConstraints, to: entity)
  }

  private func add(_ constraints: [[String]], to entity: NSEntityDescription) {
    let own = entity.ownUniquenessConstraints
    entity.ownUniquenessConstraints = own + constraints.filter { !own.contains($0) }
  }
}
