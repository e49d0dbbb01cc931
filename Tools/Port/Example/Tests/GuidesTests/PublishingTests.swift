import Combine
import CoreData
import XCTest

/// Observing objects with Combine.
final class PublishingTests: GuideTestCase {
  /// A typical view model.
  private final class TripModel: ObservableObject {
    @Published var title = ""
    private var subscriptions: Set<AnyCancellable> = []

    init(_ trip: Trip) {
      trip.publisher(for: \.name)
        .map { ($0 ?? "").uppercased() }
        .sink { [weak self] in self?.title = $0 }
        .store(in: &subscriptions)
    }
  }

  /// A subscriber that controls its demand.
  private final class Asker: Subscriber {
    var values: [String?] = []
    var subscription: (any Subscription)?

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ input: String?) -> Subscribers.Demand {
      values.append(input)
      return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {}
  }

  private var subscriptions: Set<AnyCancellable> = []

  override func tearDownWithError() throws {
    subscriptions = []
    try super.tearDownWithError()
  }

  func testAnObjectTellsBeforeItChanges() throws {
    let context = stack().viewContext
    context.undoManager = UndoManager()
    let trip = Trip(context: context)
    trip.name = "Alps"
    try context.save()
    var seen: [String?] = []
    trip.objectWillChange.sink { seen.append(trip.name) }.store(in: &subscriptions)

    trip.name = "Andes"
    XCTAssertEqual(seen, ["Alps"])
    trip.setValue("Atlas", forKey: "name")
    XCTAssertEqual(seen, ["Alps", "Andes"])
    context.processPendingChanges()
    XCTAssertEqual(seen.count, 2)
    context.undo()
    XCTAssertEqual(seen, ["Alps", "Andes", "Atlas"])
    XCTAssertEqual(trip.name, "Alps")

    // The other side of a relationship.
    let place = Place(context: context)
    seen = []
    place.addToTrips(trip)
    XCTAssertFalse(seen.isEmpty)

    // An undo: the values are already restored when the publisher fires.
    context.processPendingChanges()
    trip.name = "Ural"
    seen = []
    context.rollback()
    XCTAssertEqual(seen.last, "Alps")

    subscriptions = []
    seen = []
    trip.name = "Taunus"
    XCTAssertEqual(seen, [])
  }

  func testAnotherContextsSaveIsTold() throws {
    let stack = stack()
    let context = stack.viewContext
    context.automaticallyMergesChangesFromParent = false
    let trip = Trip(context: context)
    trip.name = "Alps"
    try context.save()
    var (count, names): (Int, [String?]) = (0, [])
    trip.objectWillChange.sink { count += 1 }.store(in: &subscriptions)
    trip.publisher(for: \.name).sink { names.append($0) }.store(in: &subscriptions)

    let other = stack.persistentContainer.newBackgroundContext()
    var notes: [Notification] = []
    NotificationCenter.default.publisher(for: .NSManagedObjectContextDidSave, object: other)
      .sink { notes.append($0) }.store(in: &subscriptions)
    let id = trip.objectID
    try other.performAndWait {
      (try other.existingObject(with: id) as? Trip)?.name = "Andes"
      try other.save()
    }
    let note = try XCTUnwrap(notes.first)
    XCTAssertEqual(notes.count, 1)
    XCTAssertEqual(count, 0)
    context.mergeChanges(fromContextDidSave: note)
    XCTAssertEqual(count, 1)
    XCTAssertEqual(names, ["Alps", "Andes"])
  }

  func testAViewsModelFollowsAnObject() throws {
    let trip = Trip(context: stack().viewContext)
    let model = TripModel(trip)
    XCTAssertEqual(model.title, "")
    var changes = 0
    model.objectWillChange.sink { changes += 1 }.store(in: &subscriptions)
    trip.name = "Harz"
    XCTAssertEqual(model.title, "HARZ")
    XCTAssertEqual(changes, 1)
  }

  func testWhoAsksForNothingGetsTheLastValueLater() throws {
    let trip = Trip(context: stack().viewContext)
    trip.name = "1"
    let asker = Asker()
    trip.publisher(for: \.name).subscribe(asker)
    XCTAssertEqual(asker.values, [])
    for number in 2..<5 { trip.name = "\(number)" }
    asker.subscription?.request(.max(1))
    XCTAssertEqual(asker.values, ["4"])
    asker.subscription?.request(.max(1))
    XCTAssertEqual(asker.values, ["4"])
    trip.name = "5"
    trip.name = "6"
    XCTAssertEqual(asker.values, ["4", "5"])
    asker.subscription?.request(.max(3))
    XCTAssertEqual(asker.values, ["4", "5", "6"])
    asker.subscription?.cancel()
    trip.name = "7"
    XCTAssertEqual(asker.values, ["4", "5", "6"])
  }

  #if canImport(MomKit)
    /// A subscriber hears of the first save after its subscription, however soon that is.
    func testWhatFollowsASubscriptionAtOnceIsPublished() throws {
      let stack = stack { _ in }
      for number in 0..<20 {
        let context = stack.persistentContainer.newBackgroundContext()
        let heard = expectation(description: "save \(number)")
        context.saves.publisher.prefix(1)
          .sink(receiveCompletion: { _ in }) { _ in heard.fulfill() }
          .store(in: &subscriptions)
        try context.performAndWait {
          Trip(context: context).name = "\(number)"
          try context.save()
        }
      }
      waitForExpectations(timeout: 60)
    }

    func testFetchesChangesAndHistoryArePublished() throws {
      let stack = stack {
        $0.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
      }
      let context = stack.persistentContainer.newBackgroundContext()
      let request = Trip.fetchRequest()
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let heard = (
        first: expectation(description: "first"), second: expectation(description: "second"),
        saved: expectation(description: "saved"), written: expectation(description: "written")
      )
      context.updates(of: request).publisher
        .sink(receiveCompletion: { _ in }) { update in
          (update.identities.isEmpty ? heard.first : heard.second).fulfill()
        }
        .store(in: &subscriptions)
      context.saves.publisher.prefix(1)
        .sink(receiveCompletion: { _ in }) { changes in
          XCTAssertEqual(changes.inserted.count, 1)
          heard.saved.fulfill()
        }
        .store(in: &subscriptions)
      stack.persistentContainer.persistentStoreCoordinator.history(after: nil).publisher.prefix(1)
        .sink(receiveCompletion: { _ in }) { transaction in
          XCTAssertEqual(transaction.changes?.count, 1)
          heard.written.fulfill()
        }
        .store(in: &subscriptions)
      wait(for: [heard.first], timeout: 60)
      try context.performAndWait {
        Trip(context: context).name = "Alps"
        try context.save()
      }
      wait(for: [heard.second, heard.saved, heard.written], timeout: 60)
    }
  #endif
}
