import DataModels
import Foundation
import PredicateFormat

/// Computed numbers in dictionaries.
extension DictionaryPlan.Column {
  /// A computed number as the column's type has it; nil if either isn't numeric. Whole numbers are truncated, as in
  /// Core Data.
  ///
  /// - Throws: ``NSCoreDataError`` for a number that the type doesn't have, such as a sum beyond 64 bits: nothing in the
  ///   store is wrong then.
  func number(_ value: PredicateValue) throws -> NSNumber? {
    guard let real = value.double else { return nil }
    switch type {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
      guard let whole = Self.whole(value) else { throw misfit(value) }
      return NSNumber(value: whole)
    case .booleanAttributeType: return NSNumber(value: real != 0)
    case .decimalAttributeType:
      guard let decimal = Self.decimal(value), !decimal.isNaN else { throw misfit(value) }
      return HashableDecimalNumber(decimal: decimal)
    default: return nil
    }
  }

  private static func whole(_ value: PredicateValue) -> Int64? {
    switch value {
    case .integer(let number): return number
    case .decimal(var number):
      // Rounded, not a number is 0.
      guard !number.isNaN else { return nil }
      var rounded = Decimal()
      NSDecimalRound(&rounded, &number, 0, number < 0 ? .up : .down)
      return Int64(rounded.description)
    default: return value.double.flatMap { Int64(exactly: $0.rounded(.towardZero)) }
    }
  }

  private static func decimal(_ value: PredicateValue) -> Decimal? {
    switch value {
    case .decimal(let number): number
    case .integer(let number): Decimal(number)
    case .unsigned(let number): Decimal(number)
    default: value.double.flatMap { Decimal(meantBy: $0) }
    }
  }

  private func misfit(_ number: PredicateValue) -> NSError {
    CoreDataError.make(
      NSCoreDataError,
      "The value of \(value.canonicalFormat), \(number.double ?? .nan), is none of the type of '\(name)', "
        + "\(type.traits.title). An expressionResultType with a larger range, such as double, has it."
    )
  }
}
