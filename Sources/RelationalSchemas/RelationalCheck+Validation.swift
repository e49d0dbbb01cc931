import DataModels
import Foundation
import PredicateFormat

extension RelationalCheck {
  /// Returns the validation rules of a property that SQL can express. They never exceed the model's: any valid object
  /// must be storable.
  static func checks(of property: NSPropertyDescription, type: RelationalType) -> [RelationalCheck]
  {
    property.validationPredicates.compactMap { check($0.tree, type: type) }
  }

  private static func check(_ tree: PredicateTree, type: RelationalType) -> RelationalCheck? {
    guard case .comparison(let comparison) = tree, comparison.modifier == .direct,
      comparison.options.isEmpty, case .constant(let value) = comparison.right
    else { return nil }
    switch (comparison.left, type) {
    case (.evaluatedObject, .int16), (.evaluatedObject, .int32), (.evaluatedObject, .int64),
      (.evaluatedObject, .decimal), (.evaluatedObject, .double), (.evaluatedObject, .float),
      (.evaluatedObject, .date):
      guard let literal = RelationalLiteral(value, type: type),
        comparison.type.isBound
      else { return nil }
      return .value(comparison.type.symbol, literal)
    case (.keyPath(let path), .date) where path.path == "timeIntervalSinceReferenceDate":
      // Dates in bounds, as momc writes them.
      guard let number = value.plainNumber,
        let literal = RelationalLiteral(
          .date(Date(timeIntervalSinceReferenceDate: number)), type: .date),
        comparison.type.isBound
      else { return nil }
      return .value(comparison.type.symbol, literal)
    case (.keyPath(let path), .text) where path.path == "length":
      guard case .integer(let length) = value, length > 0, length <= Int32.max else { return nil }
      switch comparison.type {
      case .greaterThanOrEqualTo: return .byteCount(atLeast: Int(length))
      case .lessThanOrEqualTo: return .characterCount(atMost: Int(length))
      default: return nil
      }
    default: return nil
    }
  }
}

extension ComparisonOperator {
  fileprivate var isBound: Bool {
    [.lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo].contains(self)
  }
}

extension PredicateValue {
  fileprivate var plainNumber: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }
}

extension RelationalLiteral {
  /// Creates the literal for an attribute's default value, or returns nil if there is none or SQL has no plain
  /// literal for it.
  init?(_ attribute: NSAttributeDescription) {
    guard let type = RelationalType(attribute.attributeType), let value = attribute.defaultValue
    else { return nil }
    switch (type, value) {
    case (.boolean, let number as NSNumber): self = .boolean(number.boolValue)
    case (.int16, let number as NSNumber), (.int32, let number as NSNumber),
      (.int64, let number as NSNumber):
      self = .integer(number.int64Value)
    case (.double, let number as NSNumber), (.float, let number as NSNumber):
      guard number.doubleValue.isFinite else { return nil }
      self = .number("\(number.doubleValue)")
    case (.decimal, let number as NSDecimalNumber):
      guard number != NSDecimalNumber.notANumber else { return nil }
      self = .number(number.stringValue)
    case (.text, let text as String):
      guard !text.utf8.contains(0) else { return nil }
      self = .text(text)
    case (.date, let date as Date):
      self.init(.date(date), type: .date)
    case (.url, let url as URL): self = .text(url.absoluteString)
    case (.uuid, let uuid as UUID): self = .uuid(uuid.uuidString)
    case (.bytes, let data as Data): self = .bytes(Array(data))
    default: return nil
    }
  }

  /// Creates a literal from a predicate's constant, for comparison with values of a type.
  fileprivate init?(_ value: PredicateValue, type: RelationalType) {
    switch (value, type) {
    case (.date(let date), .date):
      // Limited to years that all databases support.
      let seconds = date.timeIntervalSinceReferenceDate
      guard abs(seconds) < 6e10 else { return nil }
      self = .date(seconds)
    case (_, .date): return nil
    case (.integer(let number), _): self = .integer(number)
    case (.double(let number), .double), (.double(let number), .int16),
      (.double(let number), .int32), (.double(let number), .int64):
      guard number.isFinite else { return nil }
      self = .number("\(number)")
    case (.decimal(let number), .decimal):
      guard !number.isNaN else { return nil }
      self = .number("\(number)")
    default: return nil
    }
  }
}
