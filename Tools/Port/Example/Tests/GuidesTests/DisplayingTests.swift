import CoreData
import XCTest

/// "Loading and displaying data": fetches and a fetched results controller.
final class DisplayingTests: GuideTestCase {
  private final class TripList: NSObject, NSFetchedResultsControllerDelegate {
    let controller: NSFetchedResultsController<Trip>
    var removals = 0
    var insertions: [Int] = []

    init(_ context: NSManagedObjectContext) {
      let request = Trip.fetchRequest()
      request.sortDescriptors = [NSSortDescriptor(keyPath: \Trip.name, ascending: true)]
      controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context,
        sectionNameKeyPath: nil, cacheName: nil)
      super.init()
      controller.delegate = self
    }

    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
      didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) {
      for change in diff {
        switch change {
        case .insert(let offset, _, _): insertions.append(offset)
        case .remove: removals += 1
        }
      }
    }
  }

  private func trips(_ names: [String], in context: NSManagedObjectContext) -> [Trip] {
    names.map { name in
      let trip = Trip(context: context)
      trip.name = name
      return trip
    }
  }

  func testAControllerTellsDifferences() throws {
    let context = stack().viewContext
    let made = trips(["Bergen", "Oslo"], in: context)
    try context.save()
    let list = TripList(context)
    try list.controller.performFetch()
    XCTAssertEqual(list.controller.fetchedObjects, made)
    let new = trips(["Lillehammer"], in: context)
    context.delete(made[0])
    try context.save()
    // The list is told of what the save derives for the new trip, too: it is shown again.
    XCTAssertEqual(list.insertions, [0, 0])
    XCTAssertEqual(list.removals, 2)
    XCTAssertEqual(list.controller.object(at: [0, 0]), new[0])
    XCTAssertEqual(list.controller.indexPath(forObject: made[1]), IndexPath(indexes: [0, 1]))
  }

  func testRequests() async throws {
    let context = stack().viewContext
    try await context.perform {
      let place = Place(context: context)
      place.name = "Norway"
      for (number, trip) in self.trips(["a", "b", "c", "d"], in: context).enumerated() {
        trip.length = Int16(number + 1)
        if number > 0 { trip.place = place }
      }
      try context.save()

      let request = Trip.fetchRequest()
      request.predicate = NSPredicate(
        format: "%K.%K LIKE[c] %@ AND %K IN %@", #keyPath(Trip.place), #keyPath(Place.name),
        "nor*", #keyPath(Trip.length), [2, 3])
      request.relationshipKeyPathsForPrefetching = [#keyPath(Trip.place)]
      XCTAssertEqual(try request.execute().count, 2)

      // Sums by group, with dictionary results.
      let sum = NSExpressionDescription()
      sum.name = "total"
      sum.expression = NSExpression(
        forFunction: "sum:", arguments: [NSExpression(forKeyPath: \Trip.length)])
      sum.resultType = .integer64
      let grouped = NSFetchRequest<NSDictionary>(entityName: "Trip")
      grouped.resultType = .dictionaryResultType
      grouped.propertiesToFetch = ["place.name", sum]
      grouped.propertiesToGroupBy = ["place.name"]
      grouped.havingPredicate = NSPredicate(format: "$total > 1")
      let rows = try context.fetch(grouped)
      XCTAssertEqual(rows.map { $0["total"] as? Int }, [9])
      XCTAssertEqual(rows.first?["place.name"] as? String, "Norway")

      let long = NSPredicate(format: "SUBQUERY(trips, $trip, $trip.length > 2).@count == 2")
      let places = Place.fetchRequest()
      places.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [
        long, NSPredicate(format: "ANY trips.name == 'c'"), NSPredicate(value: true),
      ])
      XCTAssertEqual(try context.fetch(places), [place])

      let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Trip")
      ids.resultType = .managedObjectIDResultType
      ids.fetchLimit = 2
      ids.fetchOffset = 3
      XCTAssertEqual(try context.fetch(ids).count, 1)
    }
  }

  func testAFetchThatIsWaitedFor() throws {
    let context = stack().viewContext
    _ = trips(["a", "b"], in: context)
    try context.save()
    let finished = expectation(description: "finished")
    let request = NSAsynchronousFetchRequest(fetchRequest: Trip.fetchRequest()) { result in
      XCTAssertEqual(result.finalResult?.count, 2)
      finished.fulfill()
    }
    let result = try context.execute(request) as? NSAsynchronousFetchResult<Trip>
    XCTAssertNotNil(result)
    wait(for: [finished], timeout: 10)
  }

  func testUndoFaultsAndGenerations() throws {
    let stack = stack()
    let context = stack.viewContext
    context.undoManager = UndoManager()
    let trip = trips(["Oslo"], in: context)[0]
    let place = Place(context: context)
    trip.place = place
    try context.save()
    context.undoManager?.removeAllActions()
    trip.name = "Bergen"
    context.processPendingChanges()
    context.undo()
    XCTAssertEqual(trip.name, "Oslo")
    context.redo()
    XCTAssertEqual(trip.committedValues(forKeys: ["name"])["name"] as? String, "Oslo")
    context.rollback()
    XCTAssertEqual(trip.name, "Oslo")
    context.refresh(trip, mergeChanges: false)
    XCTAssertTrue(trip.isFault)
    context.refresh(place, mergeChanges: false)
    XCTAssertEqual(trip.place, place)
    XCTAssertTrue(place.hasFault(forRelationshipNamed: #keyPath(Place.trips)))
    XCTAssertEqual(place.trips?.count, 1)
    XCTAssertFalse(place.hasFault(forRelationshipNamed: #keyPath(Place.trips)))

    try context.setQueryGenerationFrom(.current)
    XCTAssertEqual(try context.count(for: Trip.fetchRequest()), 1)
    let background = stack.persistentContainer.newBackgroundContext()
    try background.performAndWait {
      _ = trips(["Molde"], in: background)
      try background.save()
    }
    XCTAssertEqual(try context.count(for: Trip.fetchRequest()), 1)
    try context.setQueryGenerationFrom(nil)
    XCTAssertEqual(try context.count(for: Trip.fetchRequest()), 2)
  }

  func testDerivedAndCompositeAttributes() throws {
    let context = stack().viewContext
    let place = Place(context: context)
    place.name = "Ålesund"
    place.position = ["latitude": 62.5, "longitude": 6.2]
    for trip in trips(["a", "b"], in: context) {
      trip.place = place
      trip.length = 4
    }
    XCTAssertEqual(place.tripCount, 0)
    try context.save()
    context.refresh(place, mergeChanges: false)
    XCTAssertEqual(place.searchName, "alesund")
    XCTAssertEqual([place.tripCount, place.tripDays], [2, 8])
    XCTAssertEqual(place.position?["latitude"] as? Double, 62.5)
    let first = try XCTUnwrap(place.trips?.anyObject() as? Trip)
    XCTAssertNotNil(first.value(forKey: "lastChanged"))
    let request = Place.fetchRequest()
    request.predicate = NSPredicate(format: "position.longitude < 7 AND searchName BEGINSWITH 'al'")
    XCTAssertEqual(try context.fetch(request), [place])

    // The same, created in code.
    let attribute = NSDerivedAttributeDescription()
    attribute.name = "searchName"
    attribute.attributeType = .stringAttributeType
    attribute.derivationExpression = NSExpression(format: "canonical:(name)")
    let modelled = place.entity.attributesByName["searchName"] as? NSDerivedAttributeDescription
    XCTAssertEqual(modelled?.derivationExpression, attribute.derivationExpression)
  }
}
