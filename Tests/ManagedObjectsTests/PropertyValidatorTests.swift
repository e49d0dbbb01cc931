import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Validation of single properties by methods that are found by name, as in Core Data.
@Suite struct PropertyValidatorTests {
  private func context() throws -> NSManagedObjectContext {
    let entity = entity(
      "Meal", class: "Meal",
      [
        attribute("title", .stringAttributeType),
        attribute("stars", .integer16AttributeType, optional: false, default: 1),
      ])
    let model = NSManagedObjectModel(of: [entity])
    Meal.register()
    return TestStore.context(try TestStore.coordinator(model))
  }

  @Test func checksAreCalledAndMayMendTheValue() throws {
    let context = try context()
    let meal = try #require(
      NSEntityDescription.insertNewObject(forEntityName: "Meal", into: context) as? Meal)
    #expect(Meal.validatesEachValue)
    #expect(!NSManagedObject.validatesEachValue)
    meal.setValue(9, forKey: "stars")
    try context.save()
    #expect(meal.value(forKey: "stars") as? Int == 5)
    meal.setValue("bad", forKey: "title")
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.domain == "Meals")
    meal.setValue("good", forKey: "title")
    try context.save()
    // The model's own rules are checked first.
    var value: AnyObject?
    let missing = #expect(throws: NSError.self) {
      try meal.validateValue(&value, forKey: "stars")
    }
    #expect(missing?.code == NSValidationMissingMandatoryPropertyError)
  }

  /// A validation that assigns a value each time ends after a conflict, too, as it does without one.
  @Test func aValidationThatAlwaysAssignsEndsAfterAConflict() throws {
    let folder = try TemporaryFolder()
    let entity = SmallModel.entity("Snack", [SmallModel.text("title"), SmallModel.number("stars")])
    entity.managedObjectClassName = "Snack"
    Snack.register()
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(entity), folder.file("snacks.sqlite"))
    let mine = SmallModel.context(coordinator, .mergeByPropertyObjectTrumpMergePolicyType)
    let theirs = SmallModel.context(coordinator)
    let snack = SmallModel.new("Snack", ["title": " a "], in: mine)
    try mine.save()
    #expect(snack["title"] as? String == "a")
    try theirs.existingObject(with: snack.objectID)["stars"] = 1
    try theirs.save()
    snack["title"] = " b "
    try mine.save()
    #expect(snack["title"] as? String == "b")
    #expect(snack["stars"] as? Int == 1)
  }

  /// What the validation of one object does to another, whose turn was before, isn't saved unchecked.
  @Test(arguments: ["clear", "delete"]) func othersValidationIsChecked(doing: String) throws {
    let (plate, guests) = (
      SmallModel.relationship("plate"),
      SmallModel.relationship("guests", many: true, rule: .denyDeleteRule)
    )
    let title = SmallModel.text("title")
    title.isOptional = false
    let dish = SmallModel.entity("Plate", [title, guests])
    let guest = SmallModel.entity("PlateGuest", [SmallModel.text("does"), plate])
    guest.managedObjectClassName = "PlateGuest"
    PlateGuest.register()
    SmallModel.link((guests, of: dish), (plate, of: guest))
    let context = TestStore.context(
      try TestStore.coordinator(SmallModel.model(dish, guest), type: NSInMemoryStoreType))
    let object = SmallModel.new("Plate", ["title": "x"], in: context)
    let one = SmallModel.new("PlateGuest", ["plate": object], in: context)
    try context.save()
    (object["title"], one["does"]) = ("y", doing)
    let error = #expect(throws: NSError.self) { try context.save() }
    let code =
      doing == "clear"
      ? NSValidationMissingMandatoryPropertyError : NSValidationRelationshipDeniedDeleteError
    #expect(error?.code == code)
    one["does"] = nil
    context.rollback()
    try context.save()
    #expect(object["title"] as? String == "x")
  }
}

/// Changes its plate in its validation.
final class PlateGuest: NSManagedObject {
  override func validateForUpdate() throws {
    try super.validateForUpdate()
    guard let plate = self["plate"] as? NSManagedObject else { return }
    switch self["does"] as? String {
    case "clear": plate["title"] = nil
    case "delete" where !plate.isDeleted: managedObjectContext?.delete(plate)
    default: break
    }
  }
}

final class Snack: NSManagedObject {
  override func validateForUpdate() throws {
    try super.validateForUpdate()
    trim()
  }

  override func validateForInsert() throws {
    try super.validateForInsert()
    trim()
  }

  private func trim() {
    self["title"] = (self["title"] as? String)?.trimmingCharacters(in: .whitespaces)
  }
}

final class Meal: NSManagedObject {
  override class var propertyValidators: [String: PropertyValidator] {
    [
      "title": PropertyValidator(Meal.validateTitle),
      "stars": PropertyValidator(Meal.validateStars),
    ]
  }

  func validateTitle(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
    if value.pointee as Any as? String == "bad" { throw NSError(domain: "Meals", code: 1) }
  }

  func validateStars(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
    if let stars = value.pointee as? NSNumber, stars.intValue > 5 {
      value.pointee = NSNumber(value: 5)
    }
  }
}
