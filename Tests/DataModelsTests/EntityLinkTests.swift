import Foundation
import PredicateFormat
import TestSupport
import Testing

@testable import DataModels

/// References to an entity that don't retain it.
@Suite struct EntityLinkTests {
  /// Versions are compared fast where properties have no rare settings; a pair of relationships needs none.
  @Test func pairedRelationshipsHaveNoRareSettings() {
    let (to, back) = (relationship("to", max: 1), relationship("back", max: 0))
    to.inverseRelationship = back
    #expect(to.inverseRelationship === back && back.inverseRelationship == nil)
    back.inverseRelationship = to
    #expect(to.inverseRelationship === back && back.inverseRelationship === to)
    #expect(to.extras == nil && back.extras == nil)
    to.userInfo = ["a": "b"]
    to.inverseRelationship = nil
    #expect(to.userInfo?["a"] as? String == "b" && back.inverseRelationship === to)
    back.inverseRelationship = nil
    #expect(back.extras == nil && to.inverseRelationship == nil)
  }

  @Test func referencesToAnEntityEndWithIt() {
    let leading = relationship("leading", max: 1)
    let index = NSFetchIndexDescription(name: "byName", elements: [])
    let request = NSFetchRequest<any NSFetchRequestResult>()
    let below = entity("Below")
    weak var gone: NSEntityDescription?
    do {
      let goal = entity("Goal")
      gone = goal
      leading.destinationEntity = goal
      goal.indexes = [index]
      goal.subentities = [below]
      let holder = model([goal, below])
      request.setEntity(goal)
      request.joinModel()
      #expect(leading.destinationEntity === goal && index.entity === goal)
      #expect(below.superentity === goal && request.entity === goal)
      #expect(holder.entities.count == 2)
    }
    #expect(gone == nil)
    #expect(leading.destinationEntity == nil && index.entity == nil)
    #expect(below.superentity == nil && request.entity == nil)
    // Another one may take its place.
    let next = entity("Next")
    leading.destinationEntity = next
    #expect(leading.destinationEntity === next)
    leading.destinationEntity = nil
    #expect(leading.destinationEntity == nil)
  }

  /// A program's own request retains its entity; a model's doesn't.
  @Test func aRequestKeepsItsEntity() {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    do { request.entity = entity("Kept") }
    #expect(request.entity?.name == "Kept")
  }
}
