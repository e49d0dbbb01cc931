import CoreData
import XCTest

/// A place. Its properties are generated.
@objc(Place)
public class Place: NSManagedObject {}

/// The stack that the guides set up, created lazily.
final class TripStack {
  static let model: NSManagedObjectModel = {
    guard let url = Bundle.module.url(forResource: "Trips", withExtension: "momd"),
      let model = NSManagedObjectModel(contentsOf: url)
    else { fatalError("The model isn't there.") }
    return model
  }()

  private let url: URL
  private let configure: (NSPersistentStoreDescription) -> Void

  init(url: URL, configure: @escaping (NSPersistentStoreDescription) -> Void = { _ in }) {
    self.url = url
    self.configure = configure
  }

  lazy var persistentContainer: NSPersistentContainer = {
    let container = NSPersistentContainer(name: "Trips", managedObjectModel: Self.model)
    guard let description = container.persistentStoreDescriptions.first else {
      fatalError("Failed to retrieve a persistent store description.")
    }
    description.url = url
    configure(description)
    container.loadPersistentStores { _, error in
      if let error {
        fatalError("Failed to load persistent stores: \(error.localizedDescription)")
      }
    }
    return container
  }()

  var viewContext: NSManagedObjectContext { persistentContainer.viewContext }

  func save() {
    guard viewContext.hasChanges else { return }
    do {
      try viewContext.save()
    } catch {
      print("Failed to save the context:", error.localizedDescription)
    }
  }

  func delete(item: NSManagedObject) {
    viewContext.delete(item)
    save()
  }
}

/// A test case with its own folder.
class GuideTestCase: XCTestCase {
  private(set) var folder: URL!

  override func setUpWithError() throws {
    try super.setUpWithError()
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("Guides-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  override func tearDownWithError() throws {
    try FileManager.default.removeItem(at: folder)
    try super.tearDownWithError()
  }

  func stack(
    configure: @escaping (NSPersistentStoreDescription) -> Void = { _ in }
  ) -> TripStack {
    TripStack(url: folder.appendingPathComponent("Trips.sqlite"), configure: configure)
  }
}
