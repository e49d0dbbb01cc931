import PredicateFormat

import class PredicateFormat.NSExpression

extension NSExpression {
  /// The value at the end of a Swift key path: as `NSExpression(forKeyPath:)` of its keys' text.
  ///
  /// A key path that reads no property, or several, is a programmer's error and traps.
  public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
    guard let name = KeyPathNames.name(of: keyPath) else {
      preconditionFailure("NSExpression(forKeyPath:): \(keyPath) reads no property, or several")
    }
    self.init(.key(name))
  }
}
