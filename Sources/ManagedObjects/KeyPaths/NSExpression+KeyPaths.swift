import PredicateFormat

import class PredicateFormat.NSExpression

extension NSExpression {
  /// Creates an expression for the value at the end of a Swift key path, like `NSExpression(forKeyPath:)` with its
  /// keys as text.
  ///
  /// A key path that reads no property, or several, is a programmer error and traps.
  public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
    guard let name = KeyPathNames.name(of: keyPath) else {
      preconditionFailure("NSExpression(forKeyPath:): \(keyPath) reads no property, or several")
    }
    self.init(.key(name))
  }
}
