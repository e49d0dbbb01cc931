/// Why a model has no layout.
package struct SchemaError: Error, Sendable, CustomStringConvertible {
  /// The entity at fault.
  package let entity: String
  /// The property at fault, if one is.
  package let property: String?
  /// What is wrong.
  package let problem: String

  package var description: String {
    "\(entity)\(property.map { "." + $0 } ?? ""): \(problem)"
  }
}
