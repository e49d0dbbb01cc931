import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Requests that mean nothing are errors, as in Core Data, rather than answered as if a part weren't there.
@Suite struct RefusedRequestTests {
  private let folder: TemporaryFolder
  private let context: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    context = Library.parent(try Library.coordinator(folder.file("store.sqlite")))
    for number in 0..<4 {
      let author = Library.new("Author", ["name": "a\(number)", "rank": number], in: context)
      _ = Library.new("Book", ["title": "t", "author": author], in: context)
    }
    try context.save()
  }

  private func code(_ body: () throws -> Void) -> Int? {
    do { try body() } catch { return (error as NSError).code }
    return nil
  }

  @Test(
    arguments: ["books", "books.title", "name.bogus", "", "name.", "publisher..name", ".name"])
  func sortKeysThatCantSort(key: String) {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
    request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
    #expect(code { _ = try context.fetch(request) } == NSCoreDataError, "\(key)")
  }

  @Test(arguments: ["publisher.name", "objectID", "self", "name"])
  func sortKeysThatCan(key: String) {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
    request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
    #expect(code { _ = try context.fetch(request) } == nil, "\(key)")
  }

  /// A selector that fetches don't know would be no order, without a word.
  @Test(arguments: ["localizedStandardCompar:", "compareTitles:"], [false, true])
  func unknownSortSelectors(selector: String, isUnsaved: Bool) {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
    request.sortDescriptors = [
      NSSortDescriptor(key: "name", ascending: true, selector: Selector(selector))
    ]
    if isUnsaved { _ = Library.new("Author", ["name": "new"], in: context) }
    #expect(code { _ = try context.fetch(request) } == NSCoreDataError)
  }

  /// The store has no column for what isn't stored: each row would have the default, and a batch deletion take them all.
  @Test func transientProperties() throws {
    func photo() -> NSEntityDescription {
      let flag = SmallModel.number("isSelected")
      (flag.isTransient, flag.defaultValue) = (true, 0)
      return SmallModel.entity("Photo", [SmallModel.text("name"), flag])
    }
    let context = SmallModel.context(
      try SmallModel.coordinator(SmallModel.model(photo()), folder.file("photos.sqlite")))
    let photos = (0..<3).map { SmallModel.new("Photo", ["name": "\($0)"], in: context) }
    try context.save()
    photos[0]["isSelected"] = 1
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Photo")
    for format in ["isSelected == 0", "abs:(isSelected) == 0", "isSelected + 1 == 1"] {
      request.predicate = NSPredicate(format: format)
      #expect(code { _ = try context.fetch(request) } == NSCoreDataError, "\(format)")
      let deletion = NSBatchDeleteRequest(fetchRequest: request)
      #expect(code { _ = try context.execute(deletion) } == NSCoreDataError, "\(format)")
    }
    request.predicate = nil
    request.sortDescriptors = [NSSortDescriptor(key: "isSelected", ascending: true)]
    #expect(code { _ = try context.fetch(request) } == NSCoreDataError)
    request.sortDescriptors = nil
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["isSelected"]
    #expect(code { _ = try context.fetch(request) } == NSCoreDataError)
    #expect(try SmallModel.all("Photo", context).count == 3)
    // In memory, they are what the objects have.
    let memory = SmallModel.context(try TestStore.coordinator(SmallModel.model(photo())))
    SmallModel.new("Photo", ["isSelected": 1], in: memory)
    let selected = NSFetchRequest<NSManagedObject>(entityName: "Photo")
    selected.predicate = NSPredicate(format: "isSelected == 1")
    #expect(try memory.fetch(selected).count == 1)
  }

  @Test(arguments: ["stddev:(rank)", "median:(rank)", "mode:(rank)", "sum:(rank) + stddev:(rank)"])
  func statisticsOverRows(format: String) {
    let column = NSExpressionDescription()
    column.name = "value"
    column.expression = NSExpression(format: format)
    column.expressionResultType = .doubleAttributeType
    let request = NSFetchRequest<NSDictionary>(entityName: "Author")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = [column]
    #expect(code { _ = try context.fetch(request) } == NSCoreDataError)
  }

  @Test func groupsToChooseFromThatArent() {
    let request = NSFetchRequest<NSDictionary>(entityName: "Author")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["name"]
    request.havingPredicate = NSPredicate(format: "name == 'a1'")
    #expect(code { _ = try context.fetch(request) } == NSCoreDataError)
  }

  @Test func elementsThatACompositeDoesntHave() throws {
    let position = NSCompositeAttributeDescription()
    position.name = "position"
    position.elements = [attribute("x", .doubleAttributeType)]
    let place = entity("Place")
    place.properties = [position]
    let context = try TestStore.open(
      folder.file("places.sqlite"), NSManagedObjectModel(of: [place]))
    let request = NSFetchRequest<NSManagedObject>(entityName: "Place")
    request.predicate = NSPredicate(format: "position.x == 1")
    #expect(try context.count(for: request) == 0)
    request.predicate = NSPredicate(format: "position.bogus == 1")
    #expect(code { _ = try context.count(for: request) } == NSCoreDataError)
  }

  /// As `reduce` puts them together: as deep as they are many.
  @Test(arguments: [PredicateFormat.NSCompoundPredicate.LogicalType.or, .and], [false, true])
  func conditionsMayBeNestedDeeply(
    type: PredicateFormat.NSCompoundPredicate.LogicalType, isLeft: Bool
  ) throws {
    var predicate = NSPredicate(format: type == .or ? "name == 'a1'" : "name != 'b'")
    for number in 0..<400 {
      let next = NSPredicate(
        format: type == .or ? "rank == \(number + 100)" : "rank != \(number + 100)")
      predicate = PredicateFormat.NSCompoundPredicate(
        type: type, subpredicates: isLeft ? [predicate, next] : [next, predicate])
    }
    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
    request.predicate = predicate
    #expect(try context.count(for: request) == (type == .or ? 1 : 4))
  }
}
