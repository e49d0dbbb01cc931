import Foundation
import PredicateFormat

/// The least and greatest values, or lengths, that validation predicates allow: those of the shapes
/// that Core Data's editor writes.
struct ValidationBounds {
  /// What a bound is of.
  package enum Subject: Hashable, Sendable {
    /// The value itself (`SELF >= 3`).
    case value
    /// The length of a text (`length <= 10`).
    case length
    /// The seconds of a date since 2001 (`timeIntervalSinceReferenceDate >= 0`).
    case time
  }

  /// The least value of each subject, where there is one.
  private(set) var minimum: [Subject: Double] = [:]
  /// The greatest value of each subject, where there is one.
  private(set) var maximum: [Subject: Double] = [:]

  /// Reads the bounds of a property's validation predicates; others are passed over.
  init(_ predicates: [NSPredicate]) {
    for predicate in predicates {
      guard case .comparison(let comparison) = predicate.tree, comparison.modifier == .direct,
        let subject = Self.subject(of: comparison.left), let limit = Self.number(comparison.right)
      else { continue }
      switch comparison.type {
      case .greaterThanOrEqualTo: minimum[subject] = max(minimum[subject] ?? limit, limit)
      case .lessThanOrEqualTo: maximum[subject] = min(maximum[subject] ?? limit, limit)
      default: continue
      }
    }
  }

  /// A subject whose least value is above its greatest.
  var crossing: (subject: Subject, minimum: Double, maximum: Double)? {
    for subject in [Subject.value, .length, .time] {
      if let low = minimum[subject], let high = maximum[subject], low > high {
        return (subject, low, high)
      }
    }
    return nil
  }

  private static func subject(of expression: ExpressionTree) -> Subject? {
    switch expression {
    case .evaluatedObject: .value
    case .key("length"): .length
    case .key("timeIntervalSinceReferenceDate"): .time
    default: nil
    }
  }

  private static func number(_ expression: ExpressionTree) -> Double? {
    guard case .constant(let value) = expression else { return nil }
    return switch value {
    case .integer(let number): Double(number)
    case .double(let number): number
    case .float(let number): Double(number)
    case .decimal(let number): NSDecimalNumber(decimal: number).doubleValue
    default: nil
    }
  }
}
