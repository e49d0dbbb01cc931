import DataModels
import Foundation
import PredicateFormat
import TestSupport
import Testing

@testable import ModelSource

/// The predicates and expressions of models, written to sources and read again.
@Suite struct PredicateTextTests {
  @Test(arguments: [
    "isOpen == YES", "isOpen == NO AND count == 1", "price == 1.0", "name == \"a\\\"b\"",
    "name LIKE[cd] $NAME OR tags IN {1, 2.5, TRUE}", "name == nil", "TRUEPREDICATE",
    "NOT (a BETWEEN {1, 2}) AND ANY items.isOpen == TRUE",
    "SUBQUERY(items, $x, $x.y == YES).@count > 0",
  ])
  func aFetchRequestsPredicateComesBackExactly(text: String) throws {
    let model = NSManagedObjectModel()
    let entity = entity("Item")
    model.entities = [entity]
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Item")
    let tree = try PredicateTree(parsing: text)
    request.predicate = tree.predicate
    model.setFetchRequestTemplate(request, forName: "all")
    let writer = SourceWriter(model)
    #expect(writer.losses == [])
    let again = try SourceModel(data: Data(writer.xml.utf8)).model
    #expect(again.fetchRequestTemplate(forName: "all")?.predicate?.tree == tree)
  }

  @Test func whatHasNoTextIsSaid() throws {
    let model = NSManagedObjectModel()
    let entity = entity("Item")
    model.entities = [entity]
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Item")
    request.predicate =
      PredicateTree.comparison(
        PredicateTree.Comparison(
          left: .key("data"), type: .equalTo, right: .constant(.data(Data([1, 2]))))
      ).predicate
    model.setFetchRequestTemplate(request, forName: "all")
    #expect(SourceWriter(model).losses.count == 1)
  }

  @Test func indexesKeepTheirPredicateAndExpressions() throws {
    let text = """
      <model><entity name="Item"><attribute name="name" optional="YES" attributeType="String"/>\
      <attribute name="isOpen" attributeType="Boolean"/>\
      <fetchIndex name="byName" partialIndexPredicate="isOpen == TRUE">\
      <fetchIndexElement property="name" type="Binary" order="descending"/>\
      <fetchIndexElement expression="lowercase:(name)" expressionType="String" type="Binary" \
      order="ascending"/></fetchIndex></entity></model>
      """
    let source = try SourceModel(data: Data(text.utf8))
    #expect(source.diagnostics == [])
    let index = try #require(source.model.entity(named: "Item")?.indexes.first)
    #expect(index.partialIndexPredicate?.tree == (try PredicateTree(parsing: "isOpen == YES")))
    #expect(index.elements.map(\.isAscending) == [false, true])
    let computed = try #require(index.elements[1].property as? NSExpressionDescription)
    #expect(computed.expression?.description == "lowercase:(name)")
    #expect(computed.resultType == .string)
    // Written without its original source.
    let copy = try #require(source.model.mutableCopy() as? NSManagedObjectModel)
    let again = try SourceModel(data: Data(SourceWriter(copy).xml.utf8)).model
    let back = try #require(again.entity(named: "Item")?.indexes.first)
    #expect(back == index)
    #expect(back.partialIndexPredicate?.tree == index.partialIndexPredicate?.tree)
  }

  @Test(arguments: [
    (#"<fetchIndex name="i" partialIndexPredicate="a =="><fetchIndexElement property="a"/>"#, 1),
    (#"<fetchIndex name="i"><fetchIndexElement expression="(("/>"#, 1),
  ])
  func brokenIndexesAreErrors(index: String, count: Int) {
    let text = """
      <model><entity name="E"><attribute name="a" attributeType="String"/>\(index)</fetchIndex>\
      </entity></model>
      """
    let error = #expect(throws: ModelSourceError.self) {
      try SourceModel(data: Data(text.utf8))
    }
    #expect(error?.diagnostics.filter { $0.severity == .error }.count == count)
  }
}
