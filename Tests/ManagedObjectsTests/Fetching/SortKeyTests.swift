import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Sorts by objects, to-one relationships and URLs are the same in every kind of store; composites, which have no order, are refused.
@Suite struct SortKeyTests {
  private let folder: TemporaryFolder
  /// A SQLite store's and an in-memory store's.
  private let contexts: [NSManagedObjectContext]

  init() throws {
    folder = try TemporaryFolder()
    contexts = [
      SmallModel.context(try SmallModel.coordinator(Self.model(), folder.file("a.sqlite"))),
      SmallModel.context(try TestStore.coordinator(Self.model())),
    ]
    for context in contexts {
      let houses = try ["b", "a", "c"].map { name in
        let house = SmallModel.new("House", ["name": name], in: context)
        // One by one, so that their keys are in this order.
        try context.save()
        return house
      }
      for (number, path) in ["b", "z", "B", "a"].enumerated() {
        var values: [String: Any] = ["name": "\(number)", "house": houses[(number + 1) % 3]]
        values["site"] = URL(string: "https://example.org/\(path)")
        SmallModel.new("Guest", values, in: context)
        try context.save()
      }
      SmallModel.new("Guest", ["name": "4"], in: context)
      try context.save()
    }
  }

  private static func model() -> NSManagedObjectModel {
    let (guest, house) = (SmallModel.entity("Guest", []), SmallModel.entity("House", []))
    let (stay, guests) = (
      SmallModel.relationship("house"), SmallModel.relationship("guests", many: true)
    )
    let position = NSCompositeAttributeDescription()
    position.name = "position"
    position.elements = [
      attribute("x", .doubleAttributeType), attribute("d", .binaryDataAttributeType),
    ]
    guest.properties = [
      SmallModel.text("name"), attribute("site", .URIAttributeType),
      attribute("photo", .binaryDataAttributeType), attribute("color", .transformableAttributeType),
      position, stay,
    ]
    house.properties = [SmallModel.text("name"), guests]
    SmallModel.link((stay, of: guest), (guests, of: house))
    return SmallModel.model(guest, house)
  }

  private func request(
    _ key: String, ascending: Bool = true, limit: Int = 0
  ) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Guest")
    request.sortDescriptors = [
      NSSortDescriptor(key: key, ascending: ascending),
      NSSortDescriptor(key: "name", ascending: true),
    ]
    request.fetchLimit = limit
    return request
  }

  private func names(
    _ request: NSFetchRequest<NSManagedObject>, _ context: NSManagedObjectContext
  ) throws -> String {
    try context.fetch(request).compactMap { $0["name"] as? String }.joined()
  }

  @Test(arguments: [
    ("objectID", "01234", "43210"), ("self", "01234", "43210"),
    // Houses by their keys: guest 2 has the first one; 0 and 3 have the second.
    ("house", "42031", "10324"), ("house.objectID", "42031", "10324"),
    ("site", "42301", "10324"),
  ])
  func sorts(by key: String, _ ascending: String, _ descending: String) throws {
    for context in contexts {
      #expect(try names(request(key), context) == ascending)
      #expect(try names(request(key, ascending: false), context) == descending)
      #expect(
        try names(request(key, ascending: false, limit: 2), context) == descending.prefix(2))
    }
  }

  @Test func unsavedObjectsAreTheNewest() throws {
    for context in contexts {
      SmallModel.new("Guest", ["name": "5"], in: context)
      SmallModel.new("Guest", ["name": "6"], in: context)
      #expect(try names(request("objectID"), context) == "0123456")
      #expect(try names(request("self", ascending: false), context) == "6543210")
    }
  }

  @Test func batchesDeleteTheOldest() throws {
    let oldest = NSFetchRequest<any NSFetchRequestResult>(entityName: "Guest")
    oldest.sortDescriptors = [NSSortDescriptor(key: "objectID", ascending: false)]
    oldest.fetchOffset = 2
    oldest.fetchLimit = 3
    try contexts[0].execute(NSBatchDeleteRequest(fetchRequest: oldest))
    contexts[0].reset()
    #expect(try names(request("name"), contexts[0]) == "34")
  }

  @Test func dictionariesAreSorted() throws {
    for context in contexts {
      let request = NSFetchRequest<NSDictionary>(entityName: "Guest")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["name"]
      request.sortDescriptors = [NSSortDescriptor(key: "objectID", ascending: false)]
      request.fetchLimit = 2
      #expect(try context.fetch(request).compactMap { $0["name"] as? String } == ["4", "3"])
    }
  }

  @Test func refusesValuesWithoutOrder() throws {
    for context in contexts {
      #expect { try context.fetch(request("position")) } throws: {
        ($0 as NSError).code == NSCoreDataError
      }
    }
    #expect(try names(request("position.x"), contexts[0]) == "01234")
  }

  @Test func sortsBytes() throws {
    for context in contexts {
      for (guest, bytes) in zip(
        try SmallModel.all("Guest", context), [[2, 1], [2], [1, 255], [255]] as [[UInt8]])
      {
        guest["photo"] = Data(bytes)
      }
      try context.save()
      #expect(try names(request("photo"), context) == "42103")
      // Nothing says how other objects are ordered.
      #expect(try context.fetch(request("color")).count == 5)
    }
  }
}
