import Foundation

extension NSManagedObjectModel {
  /// Returns all problems of the model at once: those that Core Data's loader and coordinator reject, and those that
  /// its compiler warns about.
  ///
  /// ```swift
  /// for finding in model.findings() where finding.severity == .error { print(finding) }
  /// ```
  ///
  /// The time taken is proportional to the model's size.
  ///
  /// - Returns: The findings, in the order of the model's entities; empty if there are none.
  public final func findings() -> [ModelFinding] {
    var check = ModelCheck(model: self)
    return check.run()
  }

  /// Verifies that Core Data would load and use the model.
  ///
  /// - Throws: A ``ModelError`` of code ``ModelError/Code/invalid`` with every finding of severity error. Warnings are
  ///   ignored.
  public final func validate() throws {
    let errors = findings().filter { $0.severity == .error }
    guard !errors.isEmpty else { return }
    let count = errors.count == 1 ? "1 rule is broken" : "\(errors.count) rules are broken"
    throw ModelError(
      .invalid, "the model can't be used: \(count)", entity: errors.first?.entity, findings: errors)
  }
}
