import DataModels
import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Fetches of a parent entity whose subentities have different to-one relationships in the same slots.
@Suite struct SiblingReferenceTests {
  /// Vehicles: cars with owners, boats with harbours.
  private static func model() -> NSManagedObjectModel {
    let (owner, harbour) = (
      SmallModel.relationship("owner"), SmallModel.relationship("harbour")
    )
    let person = SmallModel.entity("Person", [SmallModel.text("name")])
    let port = SmallModel.entity("Harbour", [SmallModel.text("name")])
    owner.destinationEntity = person
    harbour.destinationEntity = port
    let vehicle = SmallModel.entity("Vehicle", [SmallModel.number("number")])
    let car = SmallModel.entity("Car", [owner])
    let boat = SmallModel.entity("Boat", [harbour])
    vehicle.subentities = [car, boat]
    return SmallModel.model(vehicle, car, boat, person, port)
  }

  @Test func neighboursWithOneKeyLeadWhereTheirOwnRelationshipsDo() throws {
    let folder = try TemporaryFolder()
    let coordinator = try SmallModel.coordinator(Self.model(), folder.file("store.sqlite"))
    let writer = SmallModel.context(coordinator)
    let person = SmallModel.new("Person", ["name": "Ann"], in: writer)
    let port = SmallModel.new("Harbour", ["name": "Kiel"], in: writer)
    try writer.save()
    #expect(person.objectID.key == port.objectID.key)
    for number in 0..<6 {
      SmallModel.new(
        number % 2 == 0 ? "Car" : "Boat",
        ["number": number, number % 2 == 0 ? "owner" : "harbour": number % 2 == 0 ? person : port],
        in: writer)
    }
    try writer.save()

    let request = NSFetchRequest<NSManagedObject>(entityName: "Vehicle")
    request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
    let reader = SmallModel.context(coordinator)
    let found = try reader.fetch(request)
    #expect(found.count == 6)
    for vehicle in found {
      let key = vehicle.entity.name == "Car" ? "owner" : "harbour"
      let goal = vehicle.value(forKey: key) as? NSManagedObject
      #expect(goal?.entity.name == (key == "owner" ? "Person" : "Harbour"))
      #expect(goal?.value(forKey: "name") as? String == (key == "owner" ? "Ann" : "Kiel"))
    }
  }
}
