import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Attributes without a type, which nothing but a transient property may be.
@Suite struct UntypedAttributeTests {
  @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType], [false, true])
  func needATypeToBeStored(type: String, isTransient: Bool) throws {
    let folder = try TemporaryFolder()
    let thing = entity("Thing")
    let value = attribute("value", .undefinedAttributeType)
    value.isTransient = isTransient
    thing.properties = [attribute("name", .stringAttributeType), value]
    let model = NSManagedObjectModel(of: [thing])
    func open() throws {
      _ = try TestStore.coordinator(model, at: folder.file("store"), type: type)
    }
    guard isTransient else {
      #expect(throws: (any Error).self) { try open() }
      return
    }
    try open()
  }
}
