import Foundation
import PredicateFormat

/// Parses arbitrary bytes as a predicate format. Whatever is accepted must print, parse again to the same tree, and
/// evaluate for some objects, without trapping.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPredicate(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  let arguments: [PredicateValue] = [
    "key", 1, 2.5, .array([1, 2]), .date(Date(timeIntervalSinceReferenceDate: 0)), .null,
  ]
  for given in [[], arguments] {
    guard
      let tree = try? NSPredicate(parsing: text, arguments: given.map(\.foundationValue))
        .tree
    else { continue }
    let source = tree.source
    guard let again = try? PredicateTree(parsing: source.format, arguments: source.arguments),
      again == tree
    else {
      fatalError("not the same tree again: \(text)")
    }
    _ = tree.canonicalFormat
    _ = TreeOutline(tree).description
    for object in objects { _ = try? tree.evaluate(with: object, bindings: ["x": 1]) }
  }
  _ = try? ExpressionTree(parsing: text).value(for: objects[0])
  return 0
}

nonisolated(unsafe) private let objects: [Any?] = [
  [
    "a": 1, "b": "text", "c": [1, 2, 3], "d": ["x": ["y": 2.5]], "e": true,
    "f": [["k": 1], ["k": 2]],
  ] as [String: Any],
  "text", 3, [1, "b"] as [Any], nil,
]
