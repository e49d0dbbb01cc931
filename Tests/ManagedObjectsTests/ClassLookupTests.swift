import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// A class that tests refer to only by name.
final class NeverNamedHarbour: NSManagedObject {}

/// Two classes with the same name.
enum NorthernFleet { final class Flagship: NSManagedObject {} }
enum SouthernFleet { final class Flagship: NSManagedObject {} }

/// Two more, which tests never refer to by full name: a used class is registered under its short name.
enum EasternFleet { final class Tender: NSManagedObject {} }
enum WesternFleet { final class Tender: NSManagedObject {} }

/// A generic class, and a subclass of a specialization.
class Crate<Content>: NSManagedObject {}
final class AppleCrate: Crate<Int> {}

/// A class nested in a generic type.
enum Rack<Content> { final class Shelf: NSManagedObject {} }

/// A class with another name in models, like one with `@objc(BoatMO)`, and one nested in a type of that name.
final class Rowboat: NSManagedObject {}
enum Harbour { final class Berth: NSManagedObject {} }
enum Shipyard { final class ShipyardPolicy: NSEntityMigrationPolicy {} }
final class NamedClasses_ClassLookupTests: NamedClasses {
  static var classesByName: [String: AnyClass] {
    ["BoatMO": Rowboat.self, "BerthMO": Harbour.Berth.self]
  }
}

/// Classes are found by the names in models, without being registered or used.
struct ClassLookupTests {
  /// A nested, private class.
  private final class HiddenWharf: NSManagedObject {}

  private func insert(className: String) throws -> NSManagedObject {
    let entity = entity("Thing")
    entity.managedObjectClassName = className
    let model = NSManagedObjectModel(of: [entity])
    let coordinator = try TestStore.coordinator(model)
    let context = TestStore.context(coordinator)
    return NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
  }

  @Test(arguments: [
    ("NeverNamedHarbour", "NeverNamedHarbour"),
    ("ManagedObjectsTests.NeverNamedHarbour", "NeverNamedHarbour"),
    (".NeverNamedHarbour", "NeverNamedHarbour"),
    ("HiddenWharf", "HiddenWharf"),
    ("ClassLookupTests.HiddenWharf", "HiddenWharf"),
    ("NorthernFleet.Flagship", "Flagship"),
    ("ManagedObjectsTests.SouthernFleet.Flagship", "Flagship"),
    // In another module, which isn't named.
    ("DistantBuoy", "DistantBuoy"),
    ("StoreSupport.DistantBuoy", "DistantBuoy"),
    ("Lighthouse.Lamp", "Lamp"),
    ("AppleCrate", "AppleCrate"),
    ("ManagedObjectsTests.AppleCrate", "AppleCrate"),
    ("BoatMO", "Rowboat"),
    (".BoatMO", "Rowboat"),
    ("BerthMO", "Berth"),
  ])
  func aClassIsFound(name: String, type: String) throws {
    let object = try insert(className: name)
    #expect(String(describing: Swift.type(of: object)) == type)
  }

  @Test(arguments: [
    "Tender", "NoSuchClass", "ClassLookupTests", "", ".", "Crate", "Rack.Shelf",
    "ManagedObjectsTests.DistantBuoy",
  ])
  func aNameForSeveralOrNoneGivesPlainObjects(name: String) throws {
    let object = try insert(className: name)
    #expect(type(of: object) == NSManagedObject.self)
  }

  @Test func twoOfOneNameAreToldApart() throws {
    #expect(try insert(className: "NorthernFleet.Flagship") is NorthernFleet.Flagship)
    #expect(try insert(className: "SouthernFleet.Flagship") is SouthernFleet.Flagship)
  }

  private func context(className: String) throws -> NSManagedObjectContext {
    let (thing, other) = (entity("Thing"), entity("Other"))
    thing.managedObjectClassName = className
    return TestStore.context(try TestStore.coordinator(NSManagedObjectModel(of: [thing, other])))
  }

  /// A generic class is found after its first use, by the name that the runtime gives it.
  @Test(arguments: [
    ManagedObjects.NSStringFromClass(Crate<String>.self), String(reflecting: Crate<String>.self),
  ])
  func classesWithArgumentsFindTheirEntity(name: String) throws {
    let context = try context(className: name)
    #expect(Crate<String>(context: context).entity.name == "Thing")
    #expect(context.insertedObjects.first is Crate<String>)
    #expect(try context.fetch(NSFetchRequest<Crate<String>>(entityName: "Thing")).count == 1)
    // Another specialization is another class.
    #expect(ObjectClassRegistry.shared.find("Crate") == nil)
  }

  @Test func aClassThatIsCalledOtherwiseFindsItsEntity() throws {
    #expect(Rowboat(context: try context(className: "BoatMO")).entity.name == "Thing")
    let berths = try context(className: "BerthMO")
    #expect(Harbour.Berth(context: berths).entity.name == "Thing")
    #expect(ManagedObjects.NSStringFromClass(Rowboat.self) == "BoatMO")
    #expect(ManagedObjects.NSClassFromString("BerthMO") == Harbour.Berth.self)
  }

  @Test(arguments: ["ShipyardPolicy", "Shipyard.ShipyardPolicy", ".ShipyardPolicy"])
  func aMigrationPolicyIsFound(name: String) throws {
    let mapping = NSEntityMapping()
    mapping.entityMigrationPolicyClassName = name
    #expect(try MigrationPolicies.shared.policy(for: mapping) is Shipyard.ShipyardPolicy)
  }

  @Test func aClassOfAFunctionFindsItsEntity() throws {
    final class Dinghy: NSManagedObject {}
    #expect(
      ManagedObjects.NSStringFromClass(Dinghy.self)
        == "ManagedObjectsTests.ClassLookupTests.Dinghy")
    #expect(
      ManagedObjects.NSStringFromClass(NorthernFleet.Flagship.self)
        == "ManagedObjectsTests.NorthernFleet.Flagship")
    #expect(ManagedObjects.NSStringFromClass(NSNumber.self) == "NSNumber")
    #expect(Dinghy(context: try context(className: "Dinghy")).entity.name == "Thing")
  }
}
