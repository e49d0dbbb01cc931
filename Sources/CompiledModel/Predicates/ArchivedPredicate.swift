import Foundation

/// A predicate of a class that is not known: it is carried along and written back, and evaluates to
/// false.
final class ArchivedPredicate: NSPredicate {
  let value: ArchivedValue

  init(_ value: ArchivedValue) {
    self.value = value
    super.init(value: false)
  }

  override func evaluate(
    with object: Any?, substitutionVariables bindings: [String: Any]?
  ) -> Bool { false }
}
