import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// An author with keys that aren't in the model, as `momtool port` gives them to key-value coding.
private final class ComputingAuthor: NSManagedObject {
  override func value(forKey key: String) -> Any? {
    switch key {
    case "initial": return (self["name"] as? String)?.prefix(1).description
    case "rank": return NSNumber(value: (self["name"] as? String)?.count ?? 0)
    default: return super.value(forKey: key)
    }
  }

  override func value(forUndefinedKey key: String) -> Any? {
    key == "motto" ? "none" : super.value(forUndefinedKey: key)
  }
}

/// Predicates, sort descriptors and collection operators see what a class answers to key-value coding.
@Suite struct ComputedKeyTests {
  let context: NSManagedObjectContext
  let authors: [NSManagedObject]

  init() throws {
    let description = entity("Author", [attribute("name")])
    let model = NSManagedObjectModel()
    model.entities = [description]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
    context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    authors = ["Ada", "Bo", "Arthur"].map { name in
      let author = ComputingAuthor(entity: description, insertInto: nil)
      author["name"] = name
      return author
    }
  }

  @Test func predicatesSeeThem() {
    let found = (authors as NSArray).filtered(using: NSPredicate(format: "initial == 'A'"))
    #expect(found.count == 2)
    #expect(NSPredicate(format: "rank > 2 AND motto == 'none'").evaluate(with: authors[0]))
  }

  @Test func sortDescriptorsAndOperatorsSeeThem() {
    let sorted = (authors as NSArray).sortedArray(using: [
      NSSortDescriptor(key: "rank", ascending: true)
    ])
    #expect(
      (sorted as? [NSManagedObject])?.map { $0["name"] as? String } == ["Bo", "Ada", "Arthur"])
    let sum = NSExpression(forKeyPath: "@sum.rank").expressionValue(with: authors, context: nil)
    #expect((sum as? NSNumber)?.intValue == 11)
  }

  /// A key that nobody answers is an error of the evaluation, where the program's own call would trap.
  @Test func othersAreErrors() {
    #expect(throws: PredicateFormatError.self) { try authors[0].predicateValue(forKey: "nobody") }
    #expect(!NSPredicate(format: "nobody == 1").evaluate(with: authors[0]))
  }
}
