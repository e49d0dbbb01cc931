import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// A class that no test uses but by name.
final class NeverNamedHarbour: NSManagedObject {}

/// Two classes of one name.
enum NorthernFleet { final class Flagship: NSManagedObject {} }
enum SouthernFleet { final class Flagship: NSManagedObject {} }

/// Two more, which nobody asks for by their full names: a class that was used is known by its short one.
enum EasternFleet { final class Tender: NSManagedObject {} }
enum WesternFleet { final class Tender: NSManagedObject {} }

/// Classes are found by the names that models give them, though nothing registered or used them.
struct ClassLookupTests {
  /// A class inside a type, and hidden from other files.
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
  ])
  func aClassIsFound(name: String, type: String) throws {
    let object = try insert(className: name)
    #expect(String(describing: Swift.type(of: object)) == type)
  }

  @Test(arguments: ["Tender", "NoSuchClass", "ClassLookupTests", "", "."])
  func aNameForSeveralOrNoneGivesPlainObjects(name: String) throws {
    let object = try insert(className: name)
    #expect(type(of: object) == NSManagedObject.self)
  }

  @Test func twoOfOneNameAreToldApart() throws {
    #expect(try insert(className: "NorthernFleet.Flagship") is NorthernFleet.Flagship)
    #expect(try insert(className: "SouthernFleet.Flagship") is SouthernFleet.Flagship)
  }
}
