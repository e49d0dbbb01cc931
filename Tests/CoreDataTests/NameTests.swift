import CoreData
import Foundation
import Testing
import XCTest

import class CoreData.NSManagedObject
import struct CoreData.NSSnapshotEventType

// The names visible in a file that imports Core Data as on Apple's platforms, together with everything that includes
// Foundation. Most of the test is that it compiles.

final class Pebble: CoreData.NSManagedObject {
  @Managed var weight: Double
  @Managed var found: CoreData.NSManagedObject?
}

struct Names {
  var expression: NSExpression
  var comparison: NSComparisonPredicate
  var qualified: CoreData.NSExpression
  var qualifiedComparison: CoreData.NSComparisonPredicate
  var transformer: ValueTransformer?
  var undo: UndoManager?
  var predicate: NSPredicate
}

@Suite struct NameTests {
  @Test func `canImport holds`() {
    #if canImport(CoreData)
      let holds = true
    #else
      let holds = false
    #endif
    #expect(holds)
  }

  @Test func `names that Foundation has too are MomKit's`() throws {
    let comparison = NSComparisonPredicate(
      leftExpression: NSExpression(forKeyPath: "weight"),
      rightExpression: NSExpression(forConstantValue: 3), modifier: .direct, type: .lessThan)
    let names = Names(
      expression: comparison.leftExpression, comparison: comparison,
      qualified: comparison.rightExpression, qualifiedComparison: comparison,
      transformer: ValueTransformer(forName: .secureUnarchiveFromDataTransformerName),
      undo: UndoManager(), predicate: NSPredicate(format: "weight < 3"))
    #expect(names.comparison.predicateFormat == "weight < 3")
    #expect(names.predicate is NSComparisonPredicate)
    #expect(NSExpression(format: "1 + 1").expressionValue(with: nil, context: nil) as? Int == 2)
    #expect((names.predicate as? NSComparisonPredicate)?.predicateOperatorType == .lessThan)
    #expect(names.expression.expressionType == .keyPath)
    #expect(names.transformer != nil)
  }

  @Test func `compounds print themselves and are equal to parsed ones`() {
    let parts = [NSPredicate(format: "a == 1"), NSPredicate(format: "b == 2")]
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: parts)
    #expect(both.predicateFormat == "a == 1 AND b == 2")
    #expect(both == NSPredicate(format: "a == 1 AND b == 2"))
    #expect(NSPredicate(format: "a == 1 AND b == 2") == both)
    #expect(Set([both, NSPredicate(format: "a == 1 AND b == 2")]).count == 1)
    #expect(both.compoundPredicateType == .and && both.subpredicates.count == 2)
    let not = NSCompoundPredicate(notPredicateWithSubpredicate: parts[0])
    #expect(not.predicateFormat == "NOT a == 1")
    #expect(not.evaluate(with: ["a": 2]) && !not.evaluate(with: ["a": 1]))
    #expect(NSPredicate(format: "a == 1 OR b == 2") is NSCompoundPredicate)
  }

  @Test func `a class is found by its short name`() {
    #expect(NSClassFromString("Pebble") == Pebble.self)
    #expect(NSClassFromString("CoreDataTests.Pebble") == Pebble.self)
    #expect(NSClassFromString("Boulder") == nil)
    #expect(NSStringFromClass(Pebble.self) == "CoreDataTests.Pebble")
    final class Grain: NSManagedObject {}
    #expect(NSStringFromClass(Grain.self) == "CoreDataTests.NameTests.Grain")
    #expect(NSClassFromString(NSStringFromClass(Grain.self)) == Grain.self)
  }

  @Test func `classes have a description`() {
    #expect(NSManagedObject.description() == NSStringFromClass(NSManagedObject.self))
  }

  /// A batch deletion's request has its type from there.
  @Test func requestsTakeTheirTypeFromTheirUse() {
    let typed = NSFetchRequest<NSManagedObject>(entityName: "Photo")
    for deletion in [
      NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Photo")),
      NSBatchDeleteRequest(fetchRequest: .init(entityName: "Photo")),
      NSBatchDeleteRequest(fetchRequest: typed),
    ] {
      #expect(deletion.fetchRequest.entityName == "Photo")
    }
  }
}
