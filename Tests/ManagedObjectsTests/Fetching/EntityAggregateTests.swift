import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Aggregates over the whole entity in a request's predicate, as in `number == max(number)`.
@Suite struct EntityAggregateTests {
  private let folder: TemporaryFolder
  private let contexts: [NSManagedObjectContext]

  init() throws {
    folder = try TemporaryFolder()
    contexts = [
      SmallModel.context(try SmallModel.coordinator(Self.model(), folder.file("a.sqlite"))),
      SmallModel.context(try TestStore.coordinator(Self.model())),
    ]
    for context in contexts {
      let first = SmallModel.new("Person", ["name": "p", "number": 7], in: context)
      for number in 1...5 {
        SmallModel.new(
          number.isMultiple(of: 2) ? "Credit" : "Invoice",
          [
            "number": number, "name": "\(number)", "person": first,
            "position": ["x": Double(number % 3)],
          ], in: context)
      }
      SmallModel.new("Invoice", ["name": "none"], in: context)
      try context.save()
    }
  }

  /// Invoices, some of which are credits, of persons.
  private static func model() -> NSManagedObjectModel {
    let invoice = SmallModel.entity("Invoice", [])
    let credit = SmallModel.entity("Credit", [])
    let person = SmallModel.entity("Person", [])
    let holder = SmallModel.relationship("person")
    let invoices = SmallModel.relationship("invoices", many: true)
    let position = NSCompositeAttributeDescription()
    position.name = "position"
    position.elements = [attribute("x", .doubleAttributeType)]
    invoice.properties = [SmallModel.text("name"), SmallModel.number("number"), position, holder]
    person.properties = [SmallModel.text("name"), SmallModel.number("number"), invoices]
    SmallModel.link((holder, of: invoice), (invoices, of: person))
    invoice.subentities = [credit]
    return SmallModel.model(invoice, credit, person)
  }

  private func request<Result>(
    _ format: String, of entity: String = "Invoice"
  ) -> NSFetchRequest<Result> {
    let request = NSFetchRequest<Result>(entityName: entity)
    request.predicate = NSPredicate(format: format, argumentArray: [])
    return request
  }

  private func names(_ request: NSFetchRequest<NSManagedObject>, _ context: NSManagedObjectContext)
    throws -> [String]
  {
    try context.fetch(request).compactMap { $0["name"] as? String }.sorted()
  }

  @Test(arguments: [
    ("number == max(number)", ["5"]), ("number == min(number)", ["1"]),
    ("number == @max.number", ["5"]), ("self.number == max(self.number)", ["5"]),
    ("number > average(number)", ["4", "5"]), ("number * 3 == sum(number)", ["5"]),
    ("number >= max(number) - 1", ["4", "5"]),
    ("number != max(number) AND number > 0", ["1", "2", "3", "4"]),
    ("name == max(name)", ["none"]), ("number IN {min(number), max(number)}", ["1", "5"]),
    // The rest of the predicate doesn't narrow the entity.
    ("number == max(number) AND number < 5", []),
    // Aggregates of a row's own members or arguments stay so.
    ("person.invoices.@count == 6 AND number == max(number)", []),
    ("person.invoices.@max.number == number AND number > 0", ["5"]),
    ("number == max({number, 3})", ["3", "4", "5"]),
    ("number == max(number, 3)", ["3", "4", "5"]),
    ("person.number == max(person.number)", ["1", "2", "3", "4", "5"]),
    // Elements of composites, and computed values.
    ("position.x == max(position.x)", ["2", "5"]), ("self.position.x == min(position.x)", ["3"]),
    ("number * (6 - number) == max(number * (6 - number))", ["3"]),
    ("number * position.x == max(number * position.x)", ["5"]),
    ("number * 2 == @max.number * 2", ["5"]),
    ("person.number * number == max(person.number * number)", ["5"]),
    ("lowercase(name) == max(lowercase(name))", ["none"]),
    ("number == max(TERNARY(number < 4, number, 0))", ["3"]),
    ("number == 1 + max(number - min(number))", ["5"]),
    ("number * 2 == max({number, number}) + number AND number > 4", ["5"]),
  ])
  func isOverTheEntity(_ format: String, _ expected: [String]) throws {
    for context in contexts {
      #expect(try names(request(format), context) == expected)
      #expect(
        try context.count(for: request(format) as NSFetchRequest<NSManagedObject>) == expected.count
      )
    }
  }

  /// A constant that isn't equal to itself: whatever is found, the request ends.
  @Test func noNumberInAnArgumentEnds() throws {
    for context in contexts {
      let request: NSFetchRequest<NSManagedObject> = request("number > 0")
      request.predicate = NSPredicate(format: "number == max(number * %@)", Double.nan as NSNumber)
      _ = try? context.fetch(request)
    }
  }

  @Test func isOverTheSubentityAsked() throws {
    for context in contexts {
      #expect(try names(request("number == max(number)", of: "Credit"), context) == ["4"])
      let own: NSFetchRequest<NSManagedObject> = request(
        "number == min(number) OR number == max(number)")
      own.includesSubentities = false
      #expect(try names(own, context) == ["1", "5"])
      #expect(
        try names(request("number == max(number) AND FALSEPREDICATE", of: "Person"), context)
          .isEmpty)
    }
  }

  /// Where no object has a value, no object is found by it; nor by the contrary.
  @Test(arguments: [
    ("number == max(number)", 0), ("number == min(number) OR name == 'c1'", 1),
    ("number != max(number)", 0), ("NOT number == max(number)", 0),
    ("NOT (number != max(number) AND name == 'c1')", 1),
    ("number >= max(number) - 1", 0), ("number IN {max(number), min(number)}", 0),
    ("NOT number IN {max(number), 3}", 0), ("number BETWEEN {min(number), max(number)}", 0),
    // Whether there is a value can be asked.
    ("number * 2 == max(number * 2)", 0), ("max(number * 2) == nil", 2),
    ("max(number) == nil", 2), ("max(number) != nil", 0), ("number == sum(number)", 0),
  ])
  func nothingHasAValue(_ format: String, _ expected: Int) throws {
    for context in contexts {
      for name in ["c1", "c2"] { SmallModel.new("Person", ["name": name], in: context) }
      let first: NSFetchRequest<NSManagedObject> = request("name == 'p'", of: "Person")
      for object in try context.fetch(first) { context.delete(object) }
      try context.save()
      #expect(try names(request(format, of: "Person"), context).count == expected)
    }
  }

  @Test func batchesWithoutAValueDeleteNothing() throws {
    let context = contexts[0]
    let request: NSFetchRequest<NSManagedObject> = request("number != nil")
    for object in try context.fetch(request) { context.delete(object) }
    try context.save()
    let deletion = NSBatchDeleteRequest(fetchRequest: self.request("number == max(number)"))
    deletion.resultType = .resultTypeCount
    #expect((try context.execute(deletion) as? NSBatchDeleteResult)?.result as? Int == 0)
  }

  /// Unsaved objects count where the request includes them, in child contexts too.
  @Test func unsavedObjectsCount() throws {
    for context in contexts {
      SmallModel.new("Invoice", ["number": 9, "name": "9"], in: context)
      #expect(try names(request("number == max(number)"), context) == ["9"])
      let saved: NSFetchRequest<NSManagedObject> = request("number == max(number)")
      saved.includesPendingChanges = false
      #expect(try names(saved, context) == ["5"])
      let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      parent.persistentStoreCoordinator = context.persistentStoreCoordinator
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = parent
      try parent.performAndWait {
        SmallModel.new("Invoice", ["number": 10, "name": "10"], in: parent)
        let found = try child.performAndWait {
          let found = try names(request("number == max(number)"), child)
          SmallModel.new("Invoice", ["number": 11, "name": "11"], in: child)
          return try found + names(request("number == max(number)"), child)
        }
        #expect(found == ["10", "11"])
      }
      let dictionaries: NSFetchRequest<NSDictionary> = request("number == max(number)")
      dictionaries.resultType = .dictionaryResultType
      dictionaries.propertiesToFetch = ["name"]
      #expect(try context.fetch(dictionaries) == [["name": "5"]])
    }
  }

  @Test func batchesFindTheSame() throws {
    let context = contexts[0]
    SmallModel.new("Invoice", ["number": 9, "name": "9"], in: context)
    let update = NSBatchUpdateRequest(entityName: "Invoice")
    update.predicate = NSPredicate(format: "number == min(number)", argumentArray: [])
    update.propertiesToUpdate = ["name": "least"]
    update.resultType = .updatedObjectsCountResultType
    #expect((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 1)
    let deletion = NSBatchDeleteRequest(fetchRequest: request("number == max(number)"))
    deletion.resultType = .resultTypeCount
    #expect((try context.execute(deletion) as? NSBatchDeleteResult)?.result as? Int == 1)
    let reader = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    reader.persistentStoreCoordinator = context.persistentStoreCoordinator
    #expect(
      try names(NSFetchRequest<NSManagedObject>(entityName: "Invoice"), reader)
        == ["2", "3", "4", "least", "none"])
  }

  /// What a batch takes for the greatest isn't every row.
  @Test func batchesFindTheGreatestComputedValue() throws {
    let context = contexts[0]
    let update = NSBatchUpdateRequest(entityName: "Invoice")
    update.predicate = NSPredicate(
      format: "number * number == max(number * number)", argumentArray: [])
    update.propertiesToUpdate = ["name": "greatest"]
    update.resultType = .updatedObjectsCountResultType
    #expect((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 1)
    let deletion = NSBatchDeleteRequest(fetchRequest: request("position.x == max(position.x)"))
    deletion.resultType = .resultTypeCount
    #expect((try context.execute(deletion) as? NSBatchDeleteResult)?.result as? Int == 2)
  }

  /// A new greatest number replaces the old one in a controller.
  @Test func controllersFollow() throws {
    final class Delegate: NSFetchedResultsControllerDelegate {
      var told: [NSFetchedResultsChangeType] = []
      func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
      ) { told.append(type) }
    }
    for context in contexts {
      let request: NSFetchRequest<NSManagedObject> = request("number == max(number)")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      let delegate = Delegate()
      controller.delegate = delegate
      try controller.performFetch()
      func shown() -> [String] {
        controller.fetchedObjects?.compactMap { $0["name"] as? String } ?? []
      }
      #expect(shown() == ["5"])
      let new = SmallModel.new("Invoice", ["number": 8, "name": "8"], in: context)
      context.processPendingChanges()
      #expect(shown() == ["8"])
      #expect(delegate.told == [.delete, .insert])
      context.delete(new)
      context.processPendingChanges()
      #expect(shown() == ["5"])
    }
  }
}
