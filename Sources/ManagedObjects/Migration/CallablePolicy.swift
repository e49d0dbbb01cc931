import DataModels
import Foundation
import PredicateFormat

/// Carries an error of a policy or a store out of an expression, which can only throw its own error type.
final class CallFailure {
  var error: (any Error)?
}

/// A policy as the target of calls in expressions.
struct CallablePolicy: SelectorCallable {
  let policy: NSEntityMigrationPolicy
  let failure: CallFailure

  func call(
    _ selector: String, arguments: [PredicateValue]
  ) throws(PredicateFormatError) -> PredicateValue {
    do {
      return PredicateValue(
        reading: try policy.value(of: selector, arguments: arguments.map(\.foundationValue)))
    } catch {
      failure.error = error
      throw PredicateFormatError(.unsupported, "\(error)")
    }
  }
}
