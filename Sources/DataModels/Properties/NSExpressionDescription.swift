import Foundation
import PredicateFormat

/// A computed column of a fetch request, or the expression of a fetch index.
open class NSExpressionDescription: NSPropertyDescription, @unchecked Sendable {
  // Sendable: as its model: in one place at a time until it is in use, never changed from then on.
  final var storedExpression: NSExpression?
  final var storedResultType: NSAttributeType

  /// Makes a description without a name and expression.
  public override init() {
    storedResultType = .undefinedAttributeType
    super.init(name: "", flags: [.optional, .readOnly])
  }

  /// Makes a description with the settings a decoder has at hand; nothing is checked.
  package init(
    name: String, flags: PropertyFlags, expression: NSExpression?, resultType: NSAttributeType
  ) {
    storedExpression = expression
    storedResultType = resultType
    super.init(name: name, flags: flags)
  }

  /// What is computed; `nil` stands for the object itself.
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
/// Foundation on Linux has an empty class of this name; a file that imports Foundation too says
/// which one it means with `import class DataModels.NSExpression`.
public typealias NSExpression = PredicateFormat.NSExpression
