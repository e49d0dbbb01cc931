import DataModels
import Foundation
import PredicateFormat
import TestSupport
import Testing

@testable import ManagedObjects

/// The results of fetched properties, and when they are fetched again.
@Suite struct FetchedPropertyTests {
  private let folder: TemporaryFolder
  private let context: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    let target = SmallModel.entity("Target", [SmallModel.number("m")])
    let request = NSFetchRequest<any NSFetchRequestResult>()
    request.entity = target
    request.predicate = NSPredicate(format: "m == $FETCH_SOURCE.n")
    let same = NSFetchedPropertyDescription()
    same.name = "same"
    same.fetchRequest = request
    let source = SmallModel.entity("Source", [SmallModel.number("n"), same])
    context = SmallModel.context(
      try SmallModel.coordinator(SmallModel.model(source, target), folder.file("a.sqlite")))
    for number in 0..<6 { SmallModel.new("Target", ["m": number], in: context) }
    try context.save()
  }

  private func found(_ source: NSManagedObject) -> [Int] {
    (source["same"] as? [NSManagedObject] ?? []).compactMap { $0["m"] as? Int }
  }

  @Test func aRefreshAsksAgainByTheValuesAsTheyAre() throws {
    let source = SmallModel.new("Source", ["n": 3], in: context)
    try context.save()
    #expect(found(source) == [3])
    source["n"] = 4
    #expect(found(source) == [3])
    context.refresh(source, mergeChanges: true)
    #expect(source["n"] as? Int == 4)
    #expect(found(source) == [4])
    context.refresh(source, mergeChanges: false)
    #expect(found(source) == [3])
  }

  /// A fault whose property was fetched before the fault fired.
  @Test func aFaultAsksAgainToo() throws {
    let source = SmallModel.new("Source", ["n": 3], in: context)
    try context.save()
    context.refresh(source, mergeChanges: false)
    #expect(found(source) == [3])
    SmallModel.new("Target", ["m": 3], in: context)
    try context.save()
    context.refresh(source, mergeChanges: true)
    #expect(found(source) == [3, 3])
  }
}
