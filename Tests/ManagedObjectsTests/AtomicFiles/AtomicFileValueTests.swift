import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Values at the edge of what XML and binary stores can hold: whatever was saved can be opened again.
@Suite struct AtomicFileValueTests {
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store")
  }

  private func model(_ properties: NSAttributeDescription...) -> NSManagedObjectModel {
    SmallModel.model(SmallModel.entity("Item", properties))
  }

  @Test(arguments: AtomicFiles.types) func metadataHaveDatesOfAllTimes(type: String) throws {
    let dates = [
      Date.distantPast, .distantFuture, Date(timeIntervalSince1970: 1_700_000_000_000),
      Date(timeIntervalSince1970: -100_000_000_000), Date(timeIntervalSinceReferenceDate: 0),
      Date(timeIntervalSinceReferenceDate: -1),
    ]
    let first = try AtomicFiles.context(type, url, model(SmallModel.text("name")))
    let coordinator = try #require(first.persistentStoreCoordinator)
    coordinator.setMetadata(["dates": dates], for: coordinator.persistentStores[0])
    try first.save()
    let second = try AtomicFiles.context(type, url, model(SmallModel.text("name")))
    let store = try #require(second.persistentStoreCoordinator?.persistentStores.first)
    #expect(store.metadata["dates"] as? [Date] == dates)
  }

  @Test(arguments: AtomicFiles.types) func anEmptyURLIsNone(type: String) throws {
    let empty = try #require(URLComponents(string: "")?.url)
    func model() -> NSManagedObjectModel { self.model(attribute("link", .URIAttributeType)) }
    let first = try AtomicFiles.context(type, url, model())
    _ = AtomicFiles.new("Item", ["link": empty], first)
    try first.save()
    let second = try AtomicFiles.context(type, url, model())
    let item = try #require(try AtomicFiles.all("Item", second).first)
    #expect(item["link"] == nil)
  }

  /// A program that ignores the model's version reads what the model has.
  @Test(arguments: AtomicFiles.types) func aModelWithoutAProperty(type: String) throws {
    let first = try AtomicFiles.context(
      type, url, model(SmallModel.text("name"), SmallModel.number("year")))
    _ = AtomicFiles.new("Item", ["name": "a", "year": 1990], first)
    try first.save()
    let second = try AtomicFiles.context(
      type, url, model(SmallModel.text("name")),
      options: [NSIgnorePersistentStoreVersioningOption: true])
    #expect(try AtomicFiles.all("Item", second).map { $0["name"] as? String } == ["a"])
  }
}
