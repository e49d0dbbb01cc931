import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Attributes derived from an element of a composite one.
@Suite struct CompositeDerivationTests {
  /// `Pet {owner}` and `Person {address {city, geo {code}}}`.
  private static func model(isDerived: Bool = true) -> NSManagedObjectModel {
    func composite(_ name: String, _ elements: [NSAttributeDescription]) -> NSAttributeDescription {
      let composite = NSCompositeAttributeDescription()
      composite.name = name
      composite.isOptional = true
      composite.elements = elements
      return composite
    }
    func derived(_ name: String, _ format: String) -> NSDerivedAttributeDescription {
      let attribute = NSDerivedAttributeDescription()
      attribute.name = name
      attribute.attributeType = .stringAttributeType
      attribute.isOptional = true
      attribute.derivationExpression = NSExpression(format: format)
      return attribute
    }
    let geo = composite("geo", [SmallModel.text("code")])
    let address = composite("address", [SmallModel.text("city"), geo])
    let (person, pet) = (
      SmallModel.entity("Person", [address]), SmallModel.entity("Pet", [])
    )
    let (pets, owner) = (
      SmallModel.relationship("pets", many: true), SmallModel.relationship("owner")
    )
    person.properties.append(pets)
    pet.properties.append(owner)
    SmallModel.link((pets, of: person), (owner, of: pet))
    if isDerived {
      person.properties += [
        derived("town", "address.city"), derived("folded", "canonical:(address.city)"),
        derived("zone", "address.geo.code"),
      ]
      pet.properties += [
        derived("home", "owner.address.city"),
        derived("zone", "lowercase:(owner.address.geo.code)"),
      ]
    }
    return SmallModel.model(person, pet)
  }

  private static func address(_ city: String, _ code: String) -> [String: Any] {
    ["city": city, "geo": ["code": code]]
  }

  private func expect(
    _ values: [String: String], _ object: NSManagedObject, in context: NSManagedObjectContext
  ) {
    for (key, value) in values { #expect(object[key] as? String == value, "\(key)") }
    context.refresh(object, mergeChanges: false)
    for (key, value) in values { #expect(object[key] as? String == value, "\(key) in the store") }
  }

  @Test func elementsAreFollowed() throws {
    let folder = try TemporaryFolder()
    let context = try TestStore.open(folder.file("a.sqlite"), Self.model())
    let person = SmallModel.new("Person", ["address": Self.address("Köln", "KX")], in: context)
    let pet = SmallModel.new("Pet", ["owner": person], in: context)
    try context.save()
    expect(["town": "Köln", "folded": "koln", "zone": "KX"], person, in: context)
    expect(["home": "Köln", "zone": "kx"], pet, in: context)
    person["address"] = Self.address("Ulm", "UX")
    try context.save()
    expect(["town": "Ulm", "folded": "ulm", "zone": "UX"], person, in: context)
    expect(["home": "Ulm", "zone": "ux"], pet, in: context)
    pet["owner"] = nil
    person["address"] = nil
    try context.save()
    #expect(pet["home"] == nil)
    #expect(person["folded"] == nil)
    #expect(person["zone"] == nil)
    try TestStore.close(context)
  }

  /// Stores made by earlier versions have no such triggers.
  @Test func missingTriggersAreAWarning() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    try TestStore.close(try TestStore.open(url, Self.model()))
    #expect(try StoreCheck.findings(at: url, model: Self.model()) == [])
    let triggers = try StoreSchema(model: Self.model()).triggers.map(\.name)
    do {
      let connection = try SQLiteConnection(writing: url, creation: .existing)
      for name in triggers { try connection.execute("DROP TRIGGER \(name)") }
    }
    let findings = try StoreCheck.findings(at: url, model: Self.model())
    #expect(!triggers.isEmpty && findings.count == triggers.count)
    #expect(Set(findings.map(\.rule)) == [.elementTrigger])
    #expect(findings.allSatisfy { $0.severity == .warning })
  }

  @Test func existingRowsAreFilled() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    let old = try TestStore.open(url, Self.model(isDerived: false))
    let person = SmallModel.new("Person", ["address": Self.address("Köln", "KX")], in: old)
    SmallModel.new("Pet", ["owner": person], in: old)
    try old.save()
    try TestStore.close(old)
    let model = Self.model()
    let context = try TestStore.open(url, model, options: TestStore.migrating)
    let people = try SmallModel.all("Person", context)
    let pets = try SmallModel.all("Pet", context)
    #expect(people.map { $0["town"] as? String } == ["Köln"])
    #expect(people.map { $0["folded"] as? String } == ["koln"])
    #expect(people.map { $0["zone"] as? String } == ["KX"])
    #expect(pets.map { $0["home"] as? String } == ["Köln"])
    #expect(pets.map { $0["zone"] as? String } == ["kx"])
    try TestStore.close(context)
  }
}
