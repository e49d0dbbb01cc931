import DataModels
import Foundation

// Foundation on Linux has an NSExpression of its own, without any functionality.
import class DataModels.NSExpression

/// Formats predicates, expressions and property names as text.
enum FormatText {
  /// A predicate in predicate format.
  static func text(of predicate: NSPredicate) -> String {
    predicate.canonicalFormat
  }

  /// An expression in predicate format.
  static func text(of expression: NSExpression) -> String {
    expression.tree.canonicalFormat
  }

  /// The name of a property given as a name, a description, or an expression.
  static func name(of property: Any) -> String {
    switch property {
    case let name as String: name
    case let property as NSPropertyDescription: property.name
    case let expression as NSExpression: text(of: expression)
    default: "\(type(of: property))"
    }
  }
}
