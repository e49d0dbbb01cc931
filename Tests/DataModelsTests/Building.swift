import Foundation
import PredicateFormat
import TestSupport

@testable import DataModels

// Abbreviations for building models in tests.

extension Data {
  var hex: String { map { String(format: "%02x", $0) }.joined() }
}

/// An expression for a key path, or for a function call with one, as in `count:(pages)`.
func expression(_ text: String) -> PredicateFormat.NSExpression {
  guard let open = text.firstIndex(of: "("), text.hasSuffix(")") else {
    return PredicateFormat.NSExpression(.key(text))
  }
  let argument = text[text.index(after: open)...].dropLast()
  let arguments: [ExpressionTree] = argument.isEmpty ? [] : [.key(String(argument))]
  return PredicateFormat.NSExpression(
    .function(ExpressionTree.Function(String(text[..<open]), arguments)))
}
