extension PredicateValue {
  /// The value of `FUNCTION(self, "selector:", argument…)`.
  ///
  /// Any value answers `valueForKey:` and `valueForKeyPath:`, and selectors without arguments that
  /// are its keys; other selectors go to objects that are ``SelectorCallable``.
  func call(
    _ selector: String, _ arguments: [PredicateValue]
  ) throws(PredicateFormatError) -> PredicateValue {
    if case .object(let object) = self, let callable = object.base as? any SelectorCallable {
      return try callable.call(selector, arguments: arguments)
    }
    if isNothing { return .null }
    switch (selector, arguments.first) {
    case ("valueForKey:", .string(let key)?): return try value(forKey: key)
    case ("valueForKeyPath:", .string(let path)?):
      return try PreparedKeyPath(path).value(from: self)
    default:
      guard arguments.isEmpty else {
        throw PredicateFormatError(.unsupported, "\(kind) doesn't answer '\(selector)'")
      }
      return try value(forKey: selector)
    }
  }
}

/// An object whose methods a `FUNCTION(target, "selector:", …)` or `FETCH(…)` may call.
///
/// There is no Objective-C runtime to find methods by name, so the object says what it answers: a
/// migration manager, an entity migration policy.
public protocol SelectorCallable {
  /// Calls a method.
  ///
  /// `FETCH(request, context, countOnly)` sends `executeFetchRequest:countOnly:` to the context.
  ///
  /// - Throws: ``PredicateFormatError`` of code `unsupported` for a selector it doesn't answer.
  func call(_ selector: String, arguments: [PredicateValue]) throws(PredicateFormatError)
    -> PredicateValue
}
