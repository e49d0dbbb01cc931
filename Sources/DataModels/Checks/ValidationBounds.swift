import Foundation
import PredicateFormat

/// The minimum and maximum values, or lengths, that validation predicates allow. Recognizes the predicates written by
/// Core Data's editor.
struct ValidationBounds {
  /// The quantity that a bound applies to.
  package enum Subject: Hashable, Sendable {
    /// The value itself (`SELF >= 3`).
    case value
    /// The length of a string (`length <= 10`).
    case length
    /// A date in seconds since 2001 (`timeIntervalSinceReferenceDate >= 0`).
    case time
  }

  /// The minimum of each bounded quantity.
  private(set) var minimum: [Subject: Double] = [:]
  /// The maximum of each bounded quantity.
  private(set) var maximum: [Subject: Double] = [:]

  /// Reads the bounds from a property's validation predicates; other predicates are ignored.
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

  /// A quantity whose minimum exceeds its maximum.
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
