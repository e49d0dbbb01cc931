import Foundation
import PropertyLists
import Testing

@testable import DataModels

/// Names chosen to have the same hash in Foundation: in its hash tables, whose order is that of an archive, each
/// collides with all others.
@Suite(.serialized) struct CollidingNamesTests {
  /// Names of 160 units that differ only where the hash function doesn't look.
  private static func names(_ count: Int, collide: Bool) -> [String] {
    (0..<count).map { index in
      let number = String(index)
      let digits = String(repeating: "0", count: 8 - number.count) + number
      // For a long string, the first, middle and last 32 units are hashed.
      let edge = String(repeating: "n", count: 40)
      return collide
        ? edge + digits + String(repeating: "n", count: 112)
        : String(edge.prefix(20)) + digits + String(repeating: "n", count: 132)
    }
  }

  private static func model(entities: [String], attributes: [String]) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities.map { name in
      let entity = NSEntityDescription()
      entity.name = name
      return entity
    }
    model.entities.first?.properties = attributes.map { name in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.type = .string
      return attribute
    }
    return model
  }

  @Test func theNamesCollide() {
    let names = Self.names(50, collide: true)
    #expect(Set(names).count == 50)
    #expect(Set(names.map(CoreFoundationOrder.hash)).count == 1)
    #expect(Set(Self.names(50, collide: false).map(CoreFoundationOrder.hash)).count == 50)
  }

  @Test(.timeLimit(.minutes(2)), arguments: [(20_000, true), (5_000, false)])
  func collidingNamesTakeNoLongerThanOthers(count: Int, areEntities: Bool) throws {
    func seconds(_ collide: Bool) throws -> Double {
      let names = Self.names(count, collide: collide)
      let model = Self.model(
        entities: areEntities ? names : ["Item"], attributes: areEntities ? [] : names)
      let start = ContinuousClock.now
      let bytes = try ModelArchive.encode(model)
      let took = ContinuousClock.now - start
      if collide {
        let copy = try ModelArchive.decode(bytes)
        #expect(copy.entitiesByName.count == (areEntities ? count : 1))
        #expect(copy.entities[0].properties.count == (areEntities ? 0 : count))
      }
      return took / .seconds(1)
    }
    let (plain, colliding) = (try seconds(false), try seconds(true))
    // Quadratic time would be thousands of times longer.
    #expect(
      colliding < plain * 6 + 1, "\(colliding) s, and \(plain) s for names that don't collide")
  }
}
