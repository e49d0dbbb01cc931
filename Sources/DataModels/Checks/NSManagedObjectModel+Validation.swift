import Foundation

extension NSManagedObjectModel {
  /// Everything that is wrong or odd in the model, at once: what Core Data's loader and coordinator
  /// refuse, and what its compiler warns of.
  ///
  /// ```swift
  /// for finding in model.findings() where finding.severity == .error { print(finding) }
  /// ```
  ///
  /// Takes time in proportion to the model's size.
  ///
  /// - Returns: The findings in the order of the model's entities; empty when there are none.
  public final func findings() -> [ModelFinding] {
    var check = ModelCheck(model: self)
    return check.run()
  }

  /// Makes sure that Core Data would load and use the model.
  ///
  /// - Throws: A ``ModelError`` of code ``ModelError/Code/invalid`` with every finding of severity
  ///   error. Warnings don't count.
  public final func validate() throws {
    let errors = findings().filter { $0.severity == .error }
    guard !errors.isEmpty else { return }
    let count = errors.count == 1 ? "1 rule is broken" : "\(errors.count) rules are broken"
    throw ModelError(
      .invalid, "the model can't be used: \(count)", entity: errors.first?.entity, findings: errors)
  }
}
