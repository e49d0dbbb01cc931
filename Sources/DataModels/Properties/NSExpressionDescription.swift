import Foundation
import PredicateFormat

/// A computed column of a fetch request, or the expression of a fetch index.
///
/// ```swift
/// let total = NSExpressionDescription()
/// total.name = "total"
/// total.expression = NSExpression(format: "sum:(price)")
/// total.resultType = .decimal
/// request.resultType = .dictionaryResultType
/// request.propertiesToGroupBy = ["city"]
/// request.propertiesToFetch = ["city", total]
/// ```
open class NSExpressionDescription: NSPropertyDescription, @unchecked Sendable {
  // Sendable: like its model, it is confined to one thread until it is in use, and immutable afterwards.
  final var storedExpression: NSExpression?
  final var storedResultType: NSAttributeType

  /// Creates a description without a name or expression.
  public override init() {
    storedResultType = .undefinedAttributeType
    super.init(name: "", flags: [.optional, .readOnly])
  }

  /// Creates a description with the settings that a decoder has available, without checks.
  package init(
    name: String, flags: PropertyFlags, expression: NSExpression?, resultType: NSAttributeType
  ) {
    storedExpression = expression
    storedResultType = resultType
    super.init(name: name, flags: flags)
  }

  /// The expression to compute; `nil` stands for the object itself.
  open var expression: NSExpression? {
    get { storedExpression }
    set {
      willChange("setExpression:", of: "NSExpressionDescription")
      storedExpression = newValue
    }
  }

  /// The type of the result, under Core Data's older names.
  open var expressionResultType: NSAttributeType {
    get { storedResultType }
    set {
      willChange("setExpressionResultType:", of: "NSExpressionDescription")
      storedResultType = newValue
    }
  }

  /// The type of the result, under Core Data's newer names.
  public final var resultType: NSAttributeDescription.AttributeType {
    get { NSAttributeDescription.AttributeType(rawValue: expressionResultType) }
    set { expressionResultType = newValue.rawValue }
  }

  override func shallowCopy() -> NSPropertyDescription {
    let copy = NSExpressionDescription(
      name: storedName, flags: flags, expression: storedExpression, resultType: storedResultType)
    copyCommonSettings(to: copy)
    return copy
  }
}

/// The expressions of derived attributes and indexes.
///
/// Foundation on Linux has an empty class with this name; a file that also imports Foundation disambiguates with
/// `import class DataModels.NSExpression`.
public typealias NSExpression = PredicateFormat.NSExpression
