import CoreData
import XCTest

@testable import DataLayers

/// A feed imported in batches and merged using persistent history.
final class ImportTests: XCTestCase {
  private var folder: URL!

  override func setUpWithError() throws {
    try super.setUpWithError()
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("ImportTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  override func tearDownWithError() throws {
    try FileManager.default.removeItem(at: folder)
    try super.tearDownWithError()
  }

  private func feed(_ features: [(code: String, mag: Double?)]) -> Data {
    let list = features.map { code, mag in
      let size = mag.map { ", \"mag\": \($0)" } ?? ""
      return #"{"properties": {"code": "\#(code)"\#(size), "place": "Sea", "time": 1500}}"#
    }
    return Data(#"{"features": [\#(list.joined(separator: ", "))]}"#.utf8)
  }

  @MainActor
  func testHistoryBringsWhatBatchesWrote() async throws {
    let provider = QuakesProvider(storeURL: folder.appendingPathComponent("Quakes.sqlite"))
    let viewContext = provider.container.viewContext
    let request: NSFetchRequest<Quake> = Quake.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(keyPath: \Quake.code, ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: viewContext, sectionNameKeyPath: nil,
      cacheName: nil)
    try controller.performFetch()
    try await provider.importFeed(feed([("a", 1), ("b", 2), ("x", nil), ("c", 3)]))
    XCTAssertGreaterThan(provider.remoteChanges, 0)
    let authors = try await provider.fetchPersistentHistory()
    XCTAssertEqual(authors, ["importQuakes"])
    var quakes = try viewContext.fetch(request)
    XCTAssertEqual(quakes.map(\.code), ["a", "b", "c"])
    XCTAssertEqual(quakes.first?.time, Date(timeIntervalSince1970: 1.5))

    // The uniqueness constraint turns insertions of known objects into updates.
    try await provider.importFeed(feed([("b", 7), ("d", 4)]))
    XCTAssertEqual(quakes[1].magnitude, 2)
    try await provider.fetchPersistentHistory()
    XCTAssertEqual(quakes[1].magnitude, 7)
    quakes = try viewContext.fetch(request)
    XCTAssertEqual(quakes.map(\.magnitude), [1, 7, 3, 4])

    try await provider.deleteQuakes(identifiedBy: quakes.prefix(2).map(\.objectID))
    let last = try await provider.fetchPersistentHistory()
    XCTAssertEqual(last, ["deleteQuakes"])
    XCTAssertTrue(quakes[0].isDeleted || quakes[0].managedObjectContext == nil)
    XCTAssertEqual(try viewContext.fetch(request).map(\.code), ["c", "d"])
    try await provider.purgeHistory()
    let none = try await provider.fetchPersistentHistory()
    XCTAssertEqual(none, [])
  }

  func testWhatIsNoFeedIsAnError() async throws {
    let provider = QuakesProvider(storeURL: folder.appendingPathComponent("Quakes.sqlite"))
    do {
      try await provider.importFeed(Data("[]".utf8))
      XCTFail("an array was taken for a feed")
    } catch QuakeError.wrongDataFormat {
    }
    try await provider.importFeed(feed([]))
  }
}
