import CoreData
import XCTest

/// "Using Core Data in the background", and batch requests.
final class BackgroundTests: GuideTestCase {
  private func insert(_ count: Int, _ container: NSPersistentContainer) async throws {
    let context = container.newBackgroundContext()
    context.name = "import"
    try await context.perform {
      var left = count
      let request = NSBatchInsertRequest(
        entity: Trip.entity(),
        managedObjectHandler: { object in
          guard left > 0, let trip = object as? Trip else { return true }
          trip.name = "Trip \(left)"
          trip.code = "T\(left)"
          left -= 1
          return false
        })
      request.resultType = .objectIDs
      let result = try context.execute(request) as? NSBatchInsertResult
      let ids = result?.result as? [NSManagedObjectID] ?? []
      XCTAssertEqual(ids.count, count)
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSInsertedObjectsKey: ids], into: [container.viewContext])
    }
  }

  func testBackgroundContexts() async throws {
    let container = stack().persistentContainer
    container.viewContext.automaticallyMergesChangesFromParent = true
    let id = try await container.performBackgroundTask { context in
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      let trip = Trip(context: context)
      trip.name = "Voss"
      try context.save()
      return trip.objectID
    }
    let context = container.viewContext
    let name = await context.perform { (context.object(with: id) as? Trip)?.name }
    XCTAssertEqual(name, "Voss")
    // A child context as a scratch pad.
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = context
    try await child.perform(schedule: .enqueued) {
      let trip = try XCTUnwrap(try child.existingObject(with: id) as? Trip)
      trip.note = "by train"
      try child.save()
    }
    await context.perform {
      XCTAssertEqual((context.object(with: id) as? Trip)?.changedValues().keys.sorted(), ["note"])
    }
  }

  func testBatchInsertsTakeClosures() async throws {
    let container = stack().persistentContainer
    try await insert(20, container)
    let context = container.newBackgroundContext()
    try await context.perform {
      // The uniqueness constraint turns insertions of existing objects into updates.
      let values = [["code": "T1", "name": "First"], ["code": "T21", "name": "Last"]]
      var index = values.startIndex
      let request = NSBatchInsertRequest(entityName: "Trip") { (row: NSMutableDictionary) in
        guard index < values.endIndex else { return true }
        row.addEntries(from: values[index])
        index += 1
        return false
      }
      request.resultType = .count
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      let result = try context.execute(request) as? NSBatchInsertResult
      XCTAssertNotNil(result?.result as? Int)
      let first = Trip.fetchRequest()
      first.predicate = NSPredicate(format: "code == %@", "T1")
      XCTAssertEqual(try context.fetch(first).map(\.name), ["First"])
      XCTAssertEqual(try context.count(for: Trip.fetchRequest()), 21)
    }
  }

  @MainActor
  func testBatchUpdatesAndDeletions() async throws {
    let container = stack().persistentContainer
    try await insert(10, container)
    let context = container.viewContext
    let request = Trip.fetchRequest()
    request.sortDescriptors = [.init(key: "code", ascending: true)]
    let trips = try context.fetch(request)

    let update = NSBatchUpdateRequest(entity: Trip.entity())
    update.predicate = NSPredicate(format: "code IN %@", ["T1", "T2"])
    update.propertiesToUpdate = [
      #keyPath(Trip.note): "early", "length": NSExpression(format: "length + 2"),
    ]
    update.resultType = .updatedObjectIDsResultType
    let updated = try context.execute(update) as? NSBatchUpdateResult
    let ids = try XCTUnwrap(updated?.result as? [NSManagedObjectID])
    XCTAssertEqual(ids.count, 2)
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectsKey: ids], into: [context])
    XCTAssertEqual(trips.filter { $0.note == "early" }.map(\.length), [3, 3])

    let early: NSFetchRequest<any NSFetchRequestResult> = NSFetchRequest(entityName: "Trip")
    early.predicate = NSPredicate(format: "note != nil")
    let deletion = NSBatchDeleteRequest(fetchRequest: early)
    deletion.resultType = .resultTypeObjectIDs
    let deleted = try context.execute(deletion) as? NSBatchDeleteResult
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [
        NSDeletedObjectsKey: deleted?.result as? [NSManagedObjectID] ?? []
      ], into: [context])
    XCTAssertEqual(try context.count(for: Trip.fetchRequest()), 8)
    XCTAssertEqual(trips.filter { $0.managedObjectContext == nil || $0.isDeleted }.count, 2)
  }

  func testConflictsAreResolvedByPolicies() throws {
    let container = stack().persistentContainer
    let context = container.viewContext
    let trip = Trip(context: context)
    trip.name = "Oslo"
    try context.save()
    let other = container.newBackgroundContext()
    try other.performAndWait {
      let same = other.object(with: trip.objectID) as? Trip
      same?.name = "Bergen"
      same?.length = 7
      try other.save()
    }
    trip.name = "Trondheim"
    XCTAssertThrowsError(try context.save()) { error in
      let error = error as NSError
      XCTAssertEqual(error.code, NSManagedObjectMergeError)
      let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
      XCTAssertEqual(conflicts?.first?.sourceObject, trip)
      XCTAssertEqual(conflicts?.first?.cachedSnapshot?["name"] as? String, "Bergen")
    }
    context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
    try context.save()
    XCTAssertEqual(trip.name, "Bergen")
    XCTAssertEqual(trip.length, 7)
  }

  func testErrorsSayWhatIsWrong() {
    let context = stack().viewContext
    let trip = Trip(context: context)
    trip.length = 0
    do {
      try context.save()
      XCTFail("a trip of no days was saved")
    } catch let error as CocoaError {
      XCTAssertEqual(error.code, .validationNumberTooSmall)
      XCTAssertEqual(error.userInfo[NSValidationKeyErrorKey] as? String, "length")
      XCTAssertEqual(error.userInfo[NSValidationObjectErrorKey] as? Trip, trip)
    } catch {
      XCTFail("\(error)")
    }
  }
}
