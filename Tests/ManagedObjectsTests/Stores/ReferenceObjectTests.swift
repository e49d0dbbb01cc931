import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// What stores of a program's own classes identify their rows by, and what they give as values.
@Suite(.serialized) struct ReferenceObjectTests {
  private let context: NSManagedObjectContext
  private let store: ServiceStore
  private let person: NSEntityDescription

  init() throws {
    let person = SmallModel.entity(
      "Person",
      [
        SmallModel.text("name"), attribute("price", .decimalAttributeType),
        attribute("born", .dateAttributeType),
      ])
    NSPersistentStoreCoordinator.registerStoreClass(ServiceStore.self, forStoreType: "Service")
    let coordinator = try TestStore.coordinator(SmallModel.model(person), type: "Service")
    context = TestStore.context(coordinator)
    store = try #require(coordinator.persistentStores.first as? ServiceStore)
    self.person = person
  }

  private func id(_ reference: Any) -> NSManagedObjectID {
    store.newObjectID(for: person, referenceObject: reference)
  }

  /// What is equal on Apple's systems is the same row.
  @Test func equalObjectsAreOneRow() throws {
    let numbers: [Any] = [
      7, Int64(7), UInt8(7), NSNumber(value: 7), 7.0, NSNumber(value: 7.0), Decimal(7),
      NSDecimalNumber(value: 7), "7", "7" as NSString,
    ]
    #expect(Set(numbers.map(id)).count == 1)
    #expect(Set(([1.5, NSNumber(value: 1.5)] as [Any]).map(id)).count == 1)
    #expect(Set((["a", "a" as NSString] as [Any]).map(id)).count == 1)
    let uuid = UUID()
    let same = try #require(NSUUID(uuidString: uuid.uuidString))
    #expect(Set(([uuid, same] as [Any]).map(id)).count == 1)
    let different: [Any] = [
      8, UInt64.max, Int64.max, Double(UInt64.max), 7.25, "07", "7.0", "b", UUID(), Date(),
      Data([7]),
    ]
    #expect(Set(different.map(id)).count == different.count)
  }

  /// A URI of an earlier launch is the row that the store gives later, whose own reference object it gets back.
  @Test(arguments: ["7", "a b/ü"]) func anOldURIIsTheRow(text: String) throws {
    let number = Int(text)
    let allowed = CharacterSet.urlPathAllowed
    let encoded = try #require(text.addingPercentEncoding(withAllowedCharacters: allowed))
    let identifier = try #require(store.identifier)
    let uri = try #require(URL(string: "x-coredata://\(identifier)/Person/p\(encoded)"))
    let coordinator = try #require(context.persistentStoreCoordinator)
    let early = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
    if let number {
      // As Core Data reads it.
      let presumed = store.referenceObject(for: early) as? NSNumber
      #expect(presumed?.intValue == number)
    }
    let given: Any = number ?? text
    #expect(id(given) == early)
    #expect("\(type(of: store.referenceObject(for: early)))" == "\(type(of: given))")
    #expect(early.uriRepresentation() == uri)
  }

  /// A value of another type isn't read as nothing, which the next save would write.
  @Test func aValueOfAnotherTypeIsAnError() throws {
    store.values = ["name": "a", "price": Decimal(1), "born": Date()]
    let object = try context.existingObject(with: id(1))
    let price = object["price"] as? Decimal
    #expect(price == Decimal(1))
    for (name, value): (String, Any) in [("price", "1.50"), ("born", "2020-01-01"), ("name", 8)] {
      store.values = [name: value]
      let error = #expect(throws: NSError.self) {
        try context.existingObject(with: id("other \(name)"))
      }
      #expect(error?.localizedDescription.contains("'Person.\(name)'") == true)
    }
    store.values = ["name": NSNull(), "price": NSNull()]
    let empty = try context.existingObject(with: id(2))
    #expect(empty["name"] == nil)
    #expect(empty["price"] == nil)
  }
}

/// Gives the same values for all rows.
private final class ServiceStore: NSIncrementalStore, @unchecked Sendable {
  var values: [String: Any] = [:]

  override func loadMetadata() throws {
    metadata = [NSStoreTypeKey: "Service", NSStoreUUIDKey: UUID().uuidString]
  }

  override func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    NSIncrementalStoreNode(objectID: objectID, withValues: values, version: 1)
  }
}
