import CoreData
import XCTest

/// "Consuming relevant store changes": a store's persistent history.
final class HistoryTests: GuideTestCase {
  /// Keeps the last history token in a file, and merges what others wrote since.
  private final class HistoryFollower: NSObject {
    private let container: NSPersistentContainer
    private let tokenFile: URL
    private(set) var notified = 0

    init(_ container: NSPersistentContainer, tokenFile: URL) {
      self.container = container
      self.tokenFile = tokenFile
      super.init()
      NotificationCenter.default.addObserver(
        self, selector: #selector(storeRemoteChange(_:)),
        name: .NSPersistentStoreRemoteChange,
        object: container.persistentStoreCoordinator)
    }

    private var lastToken: NSPersistentHistoryToken? {
      get {
        guard let data = try? Data(contentsOf: tokenFile) else { return nil }
        return try? NSKeyedUnarchiver.unarchivedObject(
          ofClass: NSPersistentHistoryToken.self, from: data)
      }
      set {
        guard let newValue,
          let data = try? NSKeyedArchiver.archivedData(
            withRootObject: newValue, requiringSecureCoding: true)
        else { return }
        try? data.write(to: tokenFile)
      }
    }

    @objc func storeRemoteChange(_ notification: Notification) {
      XCTAssertNotNil(
        notification.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken)
      notified += 1
    }

    /// Returns the transactions of others since the last call, after merging them into the view context.
    func relevantTransactions() throws -> [NSPersistentHistoryTransaction] {
      let context = container.newBackgroundContext()
      let transactions = try context.performAndWait {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: lastToken)
        if let fetch = NSPersistentHistoryTransaction.fetchRequest {
          fetch.predicate = NSPredicate(format: "%K != %@", "author", "app")
          request.fetchRequest = fetch
        }
        let result = try context.execute(request) as? NSPersistentHistoryResult
        return result?.result as? [NSPersistentHistoryTransaction] ?? []
      }
      for transaction in transactions {
        guard let information = transaction.objectIDNotification().userInfo else { continue }
        NSManagedObjectContext.mergeChanges(
          fromRemoteContextSave: information, into: [container.viewContext])
      }
      if let token = transactions.last?.token { lastToken = token }
      return transactions
    }
  }

  private func historyStack() -> TripStack {
    let stack = stack { description in
      description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
      description.setOption(
        true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
    }
    stack.viewContext.transactionAuthor = "app"
    return stack
  }

  func testChangesOfOthersAreMerged() throws {
    let app = historyStack()
    let trip = Trip(context: app.viewContext)
    trip.name = "Oslo"
    app.save()
    let follower = HistoryFollower(
      app.persistentContainer, tokenFile: folder.appendingPathComponent("token"))

    // Stands for another process.
    let widget = historyStack()
    widget.viewContext.transactionAuthor = "widget"
    widget.viewContext.name = "widgets"
    let same = try XCTUnwrap(widget.viewContext.fetch(Trip.fetchRequest()).first)
    same.name = "Bergen"
    _ = Trip(context: widget.viewContext)
    widget.save()

    let transactions = try follower.relevantTransactions()
    XCTAssertEqual(transactions.map(\.author), ["widget"])
    XCTAssertEqual(transactions.map(\.contextName), ["widgets"])
    let changes = try XCTUnwrap(transactions.first?.changes)
    XCTAssertEqual(changes.count, 2)
    for change in changes {
      switch change.changeType {
      case .insert: XCTAssertNil(change.updatedProperties)
      case .update:
        XCTAssertEqual(change.updatedProperties?.map(\.name).contains("name"), true)
        XCTAssertEqual(
          change.changedObjectID.uriRepresentation(), trip.objectID.uriRepresentation())
      case .delete: XCTFail("nothing was deleted")
      @unknown default: break
      }
    }
    XCTAssertEqual(trip.name, "Bergen")
    XCTAssertTrue(try follower.relevantTransactions().isEmpty)

    widget.delete(item: same)
    let last = try follower.relevantTransactions()
    let tombstone = last.first?.changes?.first?.tombstone
    XCTAssertEqual(tombstone?["name"] as? String, "Bergen")
    XCTAssertTrue(trip.isDeleted || trip.managedObjectContext == nil)
  }

  func testAStoreTellsOfItsChanges() throws {
    let app = historyStack()
    let follower = HistoryFollower(
      app.persistentContainer, tokenFile: folder.appendingPathComponent("token"))
    _ = Trip(context: app.viewContext)
    app.save()
    let told = expectation(
      for: NSPredicate { follower, _ in (follower as? HistoryFollower)?.notified == 1 },
      evaluatedWith: follower)
    wait(for: [told], timeout: 10)
    let coordinator = app.persistentContainer.persistentStoreCoordinator
    XCTAssertNotNil(coordinator.currentPersistentHistoryToken(fromStores: nil))
  }

  func testOldHistoryIsPurged() throws {
    let app = historyStack()
    _ = Trip(context: app.viewContext)
    app.save()
    let context = app.persistentContainer.newBackgroundContext()
    try context.performAndWait {
      func count() throws -> Int {
        let all = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
        all.resultType = .count
        let result = try context.execute(all) as? NSPersistentHistoryResult
        return result?.result as? Int ?? -1
      }
      XCTAssertEqual(try count(), 1)
      let week = try XCTUnwrap(Calendar.current.date(byAdding: .day, value: -7, to: Date()))
      try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: week))
      XCTAssertEqual(try count(), 1)
      try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: .distantFuture))
      XCTAssertEqual(try count(), 0)
    }
  }
}
