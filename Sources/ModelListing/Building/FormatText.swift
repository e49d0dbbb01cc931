import DataModels
import Foundation

// Foundation has an NSExpression of its own on Linux, which can do nothing.
import class DataModels.NSExpression

/// Predicates, expressions and names of properties as text.
enum FormatText {
  /// A predicate in the predicate language.
  static func text(of predicate: NSPredicate) -> String {
    predicate.canonicalFormat
  }

  /// An expression in the predicate language.
  static func text(of expression: NSExpression) -> String {
    expression.tree.canonicalFormat
  }

  /// The name of a property that is given by name, as a description, or as an expression.
  static func name(of property: Any) -> String {
    switch property {
    case let name as String: name
    case let property as NSPropertyDescription: property.name
    case let expression as NSExpression: text(of: expression)
    default: "\(type(of: property))"
    }
  }
}
