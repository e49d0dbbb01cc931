import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// The columns of uniqueness constraints, and constraints over what has none.
@Suite struct ConstraintColumnTests {
  /// `Person {name, draft (transient), address {city, zip}}`.
  private func model(unique constraint: [String]) -> NSManagedObjectModel {
    let draft = SmallModel.text("draft")
    draft.isTransient = true
    let address = NSCompositeAttributeDescription()
    address.name = "address"
    address.elements = [SmallModel.text("zip"), SmallModel.text("city")]
    return SmallModel.model(
      SmallModel.entity(
        "Person", [SmallModel.text("name"), draft, address], unique: [constraint]))
  }

  @Test(arguments: ["draft", "missing"]) func newStoresRefuseWhatHasNone(name: String) throws {
    let folder = try TemporaryFolder()
    for constraint in [["name", name], [name]] {
      let model = model(unique: constraint)
      let error = #expect(throws: NSError.self) {
        try SmallModel.coordinator(model, folder.file("a.sqlite"))
      }
      #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
      #expect(error?.localizedDescription.contains("'Person' includes '\(name)'") == true)
      // An existing store gets no stricter index over the rest.
      let schema = try StoreSchema(model: model)
      #expect(!schema.statements.contains { $0.contains("UNIQUE") })
    }
  }

  @Test func aCompositeHasThoseOfItsElements() throws {
    let folder = try TemporaryFolder()
    let context = SmallModel.context(
      try SmallModel.coordinator(
        model(unique: ["address", "name"]), folder.file("a.sqlite")))
    for (name, city) in [("A", "Ulm"), ("A", "Bonn"), ("B", "Ulm")] {
      SmallModel.new(
        "Person", ["name": name, "address": ["city": city, "zip": "1"]], in: context)
    }
    try context.save()
    let same = SmallModel.new(
      "Person", ["name": "B", "address": ["city": "Ulm", "zip": "1"]], in: context)
    #expect(throws: (any Error).self) { try context.save() }
    same.setValue("C", forKey: "name")
    try context.save()
  }
}
