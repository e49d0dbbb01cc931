import Foundation
import PredicateFormat
import TestSupport
import Testing

/// Every case of the conformance table.
@Suite struct ConformanceTests {
  @Test func `the table has its size and every case its source`() throws {
    let table = try ConformanceTable(contentsOf: ConformanceTable.url)
    #expect(table.cases.count >= 400)
    #expect(table.cases.allSatisfy { !$0.source.isEmpty })
  }

  @Test(arguments: ConformanceTable.cases)
  func `each case prints and answers as the table says`(_ expected: ConformanceTable.Case) throws {
    let given = expected.given.isEmpty ? nil : try ConformanceTable.value(expected.given)
    let arguments = (given as? [Any] ?? []).map { PredicateValue(bridging: $0) }
    let tree: PredicateTree
    do {
      tree = try PredicateTree(parsing: expected.text, arguments: arguments)
    } catch let error as PredicateFormatError {
      #expect(expected.canonical == nil, "\(error)")
      #expect("error:\(error.code.rawValue)" == expected.result, "\(error)")
      return
    }
    #expect(tree.canonicalFormat == expected.canonical)
    try checkRoundTrips(tree)
    let result: String
    do {
      result = try String(
        tree.evaluate(
          with: try ConformanceTable.value(expected.object),
          bindings: given as? [String: Any] ?? [:]))
    } catch let error as PredicateFormatError {
      result = "error:\(error.code.rawValue)"
    }
    #expect(result == expected.result)
  }

  /// Parsing the source form results in the same tree; parsing the canonical form, if possible, results in the same
  /// text.
  private func checkRoundTrips(_ tree: PredicateTree) throws {
    let source = tree.source
    #expect(try PredicateTree(parsing: source.format, arguments: source.arguments) == tree)
    #expect(tree.predicate.tree == tree)
    guard source.arguments.isEmpty else { return }
    let again = try PredicateTree(parsing: tree.canonicalFormat)
    #expect(again.canonicalFormat == tree.canonicalFormat)
    #expect(again.isEquivalent(to: tree))
  }
}
