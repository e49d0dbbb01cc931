import Foundation

/// `CAST(value, "Class")`.
enum Casting {
  static func cast(
    _ value: PredicateValue, to type: PredicateValue
  ) throws(PredicateFormatError) -> PredicateValue {
    let name: String
    switch type {
    case .string(let text), .className(let text): name = text
    default: throw PredicateFormatError(.typeMismatch, "CAST needs a class's name")
    }
    if value.isNothing { return .null }
    guard let result = try convert(value, name) else {
      throw PredicateFormatError(.typeMismatch, "can't cast \(value.kind) to \(name)")
    }
    return result
  }

  private static func convert(
    _ value: PredicateValue, _ name: String
  ) throws(PredicateFormatError) -> PredicateValue? {
    switch name {
    case "NSNumber": number(value)
    case "NSDecimalNumber": decimal(value).map { .decimal($0) }
    case "NSString": string(value).map { .string($0) }
    case "NSDate": date(value)
    case "NSUUID":
      if case .string(let text) = value {
        UUID(uuidString: text).map { .uuid($0) }
      } else if case .uuid = value {
        value
      } else {
        nil
      }
    case "NSURL":
      if case .string(let text) = value {
        URL(string: text).map { .url($0) }
      } else if case .url = value {
        value
      } else {
        nil
      }
    case "NSData":
      if case .string(let text) = value {
        .data(Data(text.utf8))
      } else if case .data = value {
        value
      } else {
        nil
      }
    case "NSArray": value.collectionElements.map { .array($0) }
    case "NSSet": value.collectionElements.map { .set(PredicateValue.distinct($0)) }
    case "Class": string(value).map { .className($0) }
    default:
      throw PredicateFormatError(.unsupported, "CAST doesn't know the class \(name)")
    }
  }

  private static func number(_ value: PredicateValue) -> PredicateValue? {
    switch value {
    case .string(let text):
      Int64(text).map { .integer($0) } ?? .double(LeadingNumber.double(of: text))
    case .date(let date): .double(date.timeIntervalSinceReferenceDate)
    default: NumericValue(value).map { _ in value }
    }
  }

  private static func decimal(_ value: PredicateValue) -> Decimal? {
    switch value {
    case .string(let text): LeadingNumber.decimal(of: text)
    case .decimal(let number): number
    case .integer(let number): Decimal(number)
    case .unsigned(let number): Decimal(number)
    default: NumericValue(value).flatMap { Decimal(string: $0.double.description) }
    }
  }

  /// Converts seconds since 2001-01-01 to a date.
  private static func date(_ value: PredicateValue) -> PredicateValue? {
    switch value {
    case .date: value
    case .string(let text):
      .date(Date(timeIntervalSinceReferenceDate: LeadingNumber.double(of: text)))
    default:
      NumericValue(value).map { .date(Date(timeIntervalSinceReferenceDate: $0.double)) }
    }
  }

  /// The value as text; nil if it has no textual form.
  static func string(_ value: PredicateValue) -> String? {
    switch value {
    case .string(let text): text
    case .uuid(let uuid): uuid.uuidString
    case .url(let url): url.absoluteString
    case .className(let name): name
    // Foundation crashes when describing a date that is NaN.
    case .date(let date): date.timeIntervalSinceReferenceDate.isNaN ? nil : date.description
    case .bool, .integer, .unsigned, .double, .float, .decimal:
      ExpressionTree.constant(value).canonicalFormat
    default: nil
    }
  }
}
